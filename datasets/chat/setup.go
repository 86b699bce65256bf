package chat

import (
	"errors"
	"time"
)

// Setup configures a model behind an endpoint, with its cache or recording.
type Setup struct {
	Endpoint Options
	Prices   map[string]Price // for reporting costs; limits are set in Endpoint.Budget
	Cache    string           // folder that stores answers; "" stores none
	Replay   string           // folder of a recording, such as a cache; then nothing is sent
}

// Forecaster returns a Forecaster in place of the model.
func (s Setup) Forecaster() (*Forecaster, error) {
	client, err := NewClient(s.Endpoint)
	if err != nil || s.Cache == "" {
		return NewForecaster(nil, s.Prices), err
	}
	return NewForecaster(NewStore(s.Cache, client.Origin()), s.Prices), nil
}

// Batcher returns a batcher for the endpoint's batches; the model of Open finds its answers.
// Batches are polled at the given interval; 0 means 30 seconds.
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

// Open returns the model with a counter of its usage. It does not connect yet.
func (s Setup) Open() (*Asker, error) {
	if s.Replay != "" {
		if s.Cache != "" || s.Endpoint.BaseURL != "" {
			return nil, errors.New("a recording is replayed: leave out the endpoint and the cache")
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
