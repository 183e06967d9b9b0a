import { createClient as createEventClient } from 'graphql-sse'
import { createClient, type SubscribePayload } from 'graphql-ws'
import { WebSocket } from 'ws'
import { until } from '../wait.ts'

const TIMEOUT_MS = 60_000

/** The messages of a subscription so far. */
export interface Heard<T> {
  readonly data: T[]
  readonly errors: unknown[]
  readonly done: boolean
  /** Waits until something that fits has been heard. */
  waitFor(fits: (data: T) => boolean): Promise<T>
  /** Waits until the stream has ended, by itself or with an error. */
  ended(): Promise<void>
}

interface Answer {
  data?: unknown
  errors?: readonly unknown[]
}

/** A connection of graphql-ws's own client. */
export function openSocketClient(url: string, key: string | null, headers: Record<string, string> = {}) {
  const closes: { code: number; reason: string }[] = []
  class Socket extends WebSocket {
    constructor(address: string, protocols: string | string[]) {
      super(address, protocols, { headers })
    }
  }
  const client = createClient({
    url: `${url.replace('http', 'ws')}/graphql`,
    webSocketImpl: Socket,
    ...(key !== null && { connectionParams: { authorization: `Bearer ${key}` } }),
    retryAttempts: 0,
    lazy: true,
    on: { closed: (event) => closes.push(event as { code: number; reason: string }) },
  })
  return {
    closes,
    subscribe: <T>(query: string, variables: Record<string, unknown> = {}) =>
      listen<T>((sink) => client.subscribe({ query, variables } as SubscribePayload, sink)),
    /** Waits for the socket's closing code. */
    closed: () => until(() => closes[0]?.code, TIMEOUT_MS, 'the socket to close'),
    dispose: () => client.dispose(),
  }
}

/** graphql-sse's own client, with a request for every operation. */
export function openEventClient(url: string, key: string | null, headers: Record<string, string> = {}) {
  const client = createEventClient({
    url: `${url}/graphql`,
    headers: { ...headers, ...(key !== null && { authorization: `Bearer ${key}` }) },
    retryAttempts: 0,
  })
  return {
    subscribe: <T>(query: string, variables: Record<string, unknown> = {}) =>
      listen<T>((sink) => client.subscribe({ query, variables }, sink as never)),
    dispose: () => client.dispose(),
  }
}

interface Sink {
  next(answer: Answer): void
  error(error: unknown): void
  complete(): void
}

function listen<T>(subscribe: (sink: Sink) => () => void): Heard<T> & { end: () => void } {
  const heard = { data: [] as T[], errors: [] as unknown[], done: false }
  const end = subscribe({
    next: (answer) => {
      if (answer.data) heard.data.push(answer.data as T)
      heard.errors.push(...(answer.errors ?? []))
    },
    error: (error) => {
      heard.errors.push(...(Array.isArray(error) ? error : [error]))
      heard.done = true
    },
    complete: () => {
      heard.done = true
    },
  })
  return Object.assign(heard, {
    end,
    waitFor: (fits: (data: T) => boolean) =>
      until(() => heard.data.find(fits), TIMEOUT_MS, 'a subscription to bring it') as Promise<T>,
    ended: async () => {
      await until(() => heard.done, TIMEOUT_MS, 'a subscription to end')
    },
  })
}
