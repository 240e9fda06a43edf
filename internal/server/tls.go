package server

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"os"
)

// LoadTLS returns the configuration for a certificate chain and its key, both
// PEM files. With clientCA, a PEM file too, only clients with a certificate of
// one of its authorities can connect; "" = any client can.
func LoadTLS(certificate, key, clientCA string) (*tls.Config, error) {
	pair, err := tls.LoadX509KeyPair(certificate, key)
	if err != nil {
		return nil, fmt.Errorf("certificate %s with key %s: %w", certificate, key, err)
	}
	config := &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12}
	if clientCA == "" {
		return config, nil
	}
	text, err := os.ReadFile(clientCA)
	if err != nil {
		return nil, fmt.Errorf("authorities of clients: %w", err)
	}
	config.ClientCAs = x509.NewCertPool()
	if !config.ClientCAs.AppendCertsFromPEM(text) {
		return nil, fmt.Errorf("authorities of clients: %s holds no certificate in PEM form", clientCA)
	}
	config.ClientAuth = tls.RequireAndVerifyClientCert
	return config, nil
}
