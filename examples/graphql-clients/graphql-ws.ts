import { type Client, createClient } from 'graphql-ws'

/** The service closes the connection of a wrong or revoked key with this code. */
const FORBIDDEN = 4403

/**
 * Comes back after every disconnection and starts each subscription anew. No message tells what changed meanwhile, so `onReconnect` asks for the
 * lists again.
 */
export const openSocket = (url: string, key: string, onReconnect: () => void = () => undefined): Client =>
  createClient({
    url: url.replace(/^http/, 'ws'),
    connectionParams: { authorization: `Bearer ${key}` },
    keepAlive: 10_000,
    retryAttempts: Number.POSITIVE_INFINITY,
    shouldRetry: (problem) => (problem as { code?: number }).code !== FORBIDDEN,
    on: { connected: (_socket, _payload, wasRetry) => wasRetry && onReconnect() },
  })
