package chat

import "errors"

// Setup is an endpoint with what stands before it.
type Setup struct {
	Endpoint Options
	Prices   map[string]Price // to state costs; limits are of Endpoint.Budget
	Cache    string           // folder that keeps answers; "" keeps none
	Replay   string           // folder of a recording, such as a cache; then nothing is sent
}

// Forecaster returns what counts questions in place of the model.
func (s Setup) Forecaster() (*Forecaster, error) {
	client, err := NewClient(s.Endpoint)
	if err != nil || s.Cache == "" {
		return NewForecaster(nil, s.Prices), err
	}
	return NewForecaster(NewStore(s.Cache, client.Origin()), s.Prices), nil
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
