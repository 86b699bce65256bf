package chat

import (
	"errors"
	"time"
)

// Setup is a model, an endpoint unless another is given, with what stands before it.
type Setup struct {
	Endpoint Options
	Model    Model            // in the place of an endpoint; nil is none
	Origin   string           // of Model: what has a say in its answers beside the requests
	Prices   map[string]Price // to state costs; limits are of Endpoint.Budget
	Cache    string           // folder that keeps answers; "" keeps none
	Replay   string           // folder of a recording, such as a cache; then nothing is asked
}

// asked is the model, and what has a say in its answers beside the requests.
func (s Setup) asked() (m Model, origin string, err error) {
	if s.Model != nil {
		return s.Model, s.Origin, nil
	}
	client, err := NewClient(s.Endpoint)
	if err != nil {
		return nil, "", err
	}
	return client, client.Origin(), nil
}

// Forecaster returns what counts questions in place of the model.
func (s Setup) Forecaster() (*Forecaster, error) {
	_, origin, err := s.asked()
	if err != nil || s.Cache == "" {
		return NewForecaster(nil, s.Prices), err
	}
	return NewForecaster(NewStore(s.Cache, origin), s.Prices), nil
}

// Batcher returns what asks many questions by the endpoint's batches, whose answers Open's
// model then finds; it asks after them at the given interval, 0 is 30 seconds.
func (s Setup) Batcher(every time.Duration) (*Batcher, error) {
	if s.Cache == "" {
		return nil, errors.New("batches need a folder that keeps the answers")
	}
	client, err := NewClient(s.Endpoint)
	if err != nil {
		return nil, err
	}
	return NewBatcher(client, NewStore(s.Cache, client.Origin()), every), nil
}

// Open returns the model, counted. It opens no connection yet.
func (s Setup) Open() (*Asker, error) {
	if s.Replay != "" {
		if s.Cache != "" || s.Endpoint.BaseURL != "" || s.Model != nil {
			return nil, errors.New("a recording is replayed without a model, an endpoint and a cache")
		}
		replay, err := OpenReplay(s.Replay)
		return NewAsker(replay, s.Prices), err
	}
	model, origin, err := s.asked()
	if err != nil || s.Cache == "" {
		return NewAsker(model, s.Prices), err
	}
	return NewAsker(NewCached(model, NewStore(s.Cache, origin)), s.Prices), nil
}
