import { signal } from '@preact/signals'
import { type Client, createClient } from 'graphql-ws'
import type { Operation } from '../operations.ts'
import { GRAPHQL } from './base.ts'

export type LiveState = 'connecting' | 'live' | 'reconnecting'

const KEEP_ALIVE_MS = 12_000
/** So long a service may take to take up a connection, and to answer a ping. */
const SILENT_MS = 6_000
const MAX_PAUSE_MS = 10_000
const FORBIDDEN = 4403

/** How often the socket came back after it was lost: what is on the page may have changed meanwhile. */
export const comebacks = signal(0)

/** How the one socket of the session stands. */
export const liveState = signal<LiveState>('connecting')

let client: Client | null = null
let patience: ReturnType<typeof setTimeout> | undefined

/** Opens the session's socket, which reconnects for as long as the page is open. `onRejected`: the session has ended. */
export function openLive(onRejected: () => void): void {
  closeLive()
  liveState.value = 'connecting'
  client = createClient({
    url: `${location.origin.replace(/^http/, 'ws')}${GRAPHQL}`,
    lazy: false,
    keepAlive: KEEP_ALIVE_MS,
    retryAttempts: Number.POSITIVE_INFINITY,
    retryWait: (retries) => pause(Math.min(MAX_PAUSE_MS, 250 * 2 ** retries) * (0.75 + Math.random() / 2)),
    shouldRetry: (event) => (event as CloseEvent)?.code !== FORBIDDEN,
    onNonLazyError: (event) => {
      if ((event as CloseEvent)?.code === FORBIDDEN) onRejected()
    },
    on: {
      connecting: awaitSign,
      ping: (isReceived) => !isReceived && awaitSign(),
      message: () => clearTimeout(patience),
      connected: () => {
        if (liveState.value === 'reconnecting') comebacks.value += 1
        liveState.value = 'live'
      },
      closed: () => {
        clearTimeout(patience)
        liveState.value = 'reconnecting'
      },
    },
  })
}

/** A network that drops everything closes nothing: a connection without any sign for too long is given up, and another one is made. */
function awaitSign(): void {
  clearTimeout(patience)
  patience = setTimeout(() => client?.terminate(), SILENT_MS)
}

export function closeLive(): void {
  clearTimeout(patience)
  void client?.dispose()
  client = null
}

/** Follows a subscription until the returned function is called; it goes on by itself after a lost connection. */
export function follow<Data, Variables>(
  operation: Operation<Data, Variables>,
  variables: Variables,
  onNext: (data: Data) => void,
  onEnd: () => void = () => {},
): () => void {
  if (client === null) return () => {}
  const sink = {
    next: ({ data }: { data?: Data | null }) => {
      if (data) onNext(data)
    },
    error: onEnd,
    complete: onEnd,
  }
  return client.subscribe<Data>({ query: operation.query, variables: variables as Record<string, unknown> }, sink)
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))
