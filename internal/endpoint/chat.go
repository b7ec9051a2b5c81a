package endpoint

import (
	"context"
	"strings"

	"github.com/openhuman/openhuman-core/internal/text"
	"github.com/openhuman/openhuman-core/pkg/fault"
)

// answerTokens is how much room a model is given to answer.
const answerTokens = 1024

type message struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

// Chat asks the model and returns what it answers, which is never empty.
func (c *Client) Chat(ctx context.Context, system, user string) (string, error) {
	messages := []message{{"system", system}, {"user", user}}
	var answer string
	var err error
	if c.o.API == Ollama {
		answer, err = c.chatOllama(ctx, messages)
	} else {
		answer, err = c.chatOpenAI(ctx, messages)
	}
	if err == nil && strings.TrimSpace(answer) == "" {
		err = fault.New(fault.Invalid, "The model %s answered with nothing.", c.Name())
	}
	return answer, err
}

func (c *Client) chatOllama(ctx context.Context, messages []message) (string, error) {
	type options struct {
		Temperature float64 `json:"temperature"`
		Seed        int     `json:"seed"`
		Context     int     `json:"num_ctx"`
		Predict     int     `json:"num_predict"`
	}
	in := struct {
		Model    string    `json:"model"`
		Messages []message `json:"messages"`
		Stream   bool      `json:"stream"`
		Options  options   `json:"options"`
	}{Model: c.o.Model, Messages: messages, Options: options{Seed: 1, Predict: answerTokens}}
	// Without a size Ollama keeps the last few thousand tokens of a prompt and drops the rest. The
	// estimate may be too low, so there is a quarter more; steps keep the model from being loaded anew.
	need := answerTokens
	for _, m := range messages {
		need += text.EstimateTokens(m.Content) * 5 / 4
	}
	in.Options.Context = min((need+4095)/4096*4096, 32768)
	var out struct {
		Message message `json:"message"`
	}
	err := c.call(ctx, "/api/chat", in, &out)
	return out.Message.Content, err
}

func (c *Client) chatOpenAI(ctx context.Context, messages []message) (string, error) {
	in := struct {
		Model       string    `json:"model"`
		Messages    []message `json:"messages"`
		Temperature *float64  `json:"temperature,omitempty"`
	}{Model: c.o.Model, Messages: messages, Temperature: new(float64)}
	var out struct {
		Choices []struct {
			Message message `json:"message"`
		} `json:"choices"`
	}
	err := c.call(ctx, "/chat/completions", in, &out)
	if fault.CodeOf(err) == fault.Invalid { // some models refuse to be told how free they are
		in.Temperature = nil
		err = c.call(ctx, "/chat/completions", in, &out)
	}
	if err != nil {
		return "", err
	}
	if len(out.Choices) == 0 {
		return "", c.nonsense("it holds no choice")
	}
	return out.Choices[0].Message.Content, nil
}
