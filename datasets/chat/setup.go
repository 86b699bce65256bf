package chat

import (
	"errors"
	"time"
)

// Setup is a model behind an endpoint, with what stands before it.
type Setup struct {
	Endpoint Options
	Prices   map[string]Price // to state costs; limits are of Endpoint.Budget
	Cache    string           // folder that keeps answers; "" keeps none
	Replay   string           // folder of a recording, such as a cache; then nothing is asked
}

// Forecaster returns what counts questions in place of the model.
func (s Setup) Forecaster() (*Forecaster, error) {
	client, err := NewClient(s.Endpoint)
	if err != nil || s.Cache == "" {
		return NewForecaster(nil, s.Prices), err
	}
	return NewForecaster(NewStore(s.Cache, client.Origin()), s.Prices), nil
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
		if s.Cache != "" || s.Endpoint.BaseURL != "" {
			return nil, errors.New("a recording is replayed without an endpoint and a cache")
		}
		replay, err := OpenReplay(s.Replay)
		return NewAsker(replay, s.Prices), err
	}
	client, err := NewClient(s.Endpoint)
	if err != nil || s.Cache == "" {
		return NewAsker(client, s.Prices), err
	}
	return NewAsker(NewCached(client, NewStore(s.Cache, client.Origin())), s.Prices), nil
}
