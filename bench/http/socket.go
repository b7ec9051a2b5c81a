package main

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"net"
)

// A socket is a connection at whose other end a goroutine calls something for every message.
type socket struct {
	conn net.Conn
	in   *bufio.Reader
	ends chan error // what the other end failed with
}

// behindSocket has do called at the other end of a connection of this machine. A message of nothing is
// answered without a call.
func behindSocket(ctx context.Context, do func([]byte) error) (*socket, error) {
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	defer l.Close()
	ends := make(chan error, 1)
	go func() { ends <- serveSocket(l, do) }()
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", l.Addr().String())
	if err != nil {
		return nil, err
	}
	// Known to be accepted before the listener goes.
	s := &socket{conn, bufio.NewReader(conn), ends}
	return s, s.call(nil)
}

func serveSocket(l net.Listener, do func([]byte) error) error {
	conn, err := l.Accept()
	if err != nil {
		return err
	}
	defer conn.Close()
	in := bufio.NewReader(conn)
	for {
		n, err := binary.ReadUvarint(in)
		if errors.Is(err, io.EOF) {
			return nil
		}
		message := make([]byte, n)
		if err == nil {
			_, err = io.ReadFull(in, message)
		}
		if err == nil && n > 0 {
			err = do(message)
		}
		if err == nil {
			_, err = conn.Write([]byte{0})
		}
		if err != nil {
			return err
		}
	}
}

// call sends a message and waits for its answer.
func (s *socket) call(message []byte) error {
	if _, err := s.conn.Write(append(binary.AppendUvarint(nil, uint64(len(message))), message...)); err != nil {
		return err
	}
	if _, err := s.in.ReadByte(); err != nil {
		return errors.Join(err, <-s.ends)
	}
	return nil
}

func (s *socket) close() { _ = s.conn.Close() }
