package tools

import (
	"fmt"
	"reflect"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/openhuman/openhuman-core/pkg/controller"
)

// inputSchema infers the schema of T for parameters: an object that refuses unknown members.
func inputSchema[T any](what string) *jsonschema.Schema { return schemaOf[T](what, false) }

// outputSchema infers the schema of T for results: an object that may grow.
func outputSchema[T any](what string) *jsonschema.Schema { return schemaOf[T](what, true) }

// schemaOptions say what a schema cannot tell from the types.
var schemaOptions = jsonschema.ForOptions{TypeSchemas: map[reflect.Type]*jsonschema.Schema{
	reflect.TypeFor[controller.Schema](): {Type: "object"},
	reflect.TypeFor[controller.Object](): {Type: "object"},
}}

func schemaOf[T any](what string, open bool) *jsonschema.Schema {
	s, err := jsonschema.For[T](&schemaOptions)
	if err != nil {
		panic(fmt.Sprintf("tools: schema of %s: %v", what, err))
	}
	simplify(s, open)
	if open {
		// tools/list travels into every conversation and has a bound; what the rows of a list always
		// carry is not worth a tenth of it.
		for _, p := range s.Properties {
			forgetRequired(p)
		}
	}
	return s
}

func forgetRequired(s *jsonschema.Schema) {
	s.Required = nil
	for _, p := range s.Properties {
		forgetRequired(p)
	}
	if s.Items != nil {
		forgetRequired(s.Items)
	}
}

// simplify drops the null that inference adds to slices and pointers: several clients refuse unions
// and then drop the tool, or all of them.
func simplify(s *jsonschema.Schema, open bool) {
	if len(s.Types) == 2 && s.Types[0] == "null" {
		s.Type, s.Types = s.Types[1], nil
	}
	if open {
		s.AdditionalProperties = nil
	}
	for _, p := range s.Properties {
		simplify(p, open)
	}
	if s.Items != nil {
		simplify(s.Items, open)
	}
}
