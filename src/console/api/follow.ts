import { signal } from '@preact/signals'
import { type Client, type ClientOptions, createClient } from 'graphql-ws'
import type { Operation } from '../operations.ts'
import { Again, giveUpAll } from './again.ts'
import { GRAPHQL } from './base.ts'
import { growingPause } from './growing-pause.ts'
import { LiveSocket } from './socket/live-socket.ts'
import { Silence } from './socket/silence.ts'

type LiveState = 'connecting' | 'live' | 'reconnecting'

const KEEP_ALIVE_MS = 12_000
/** So long a service may take to take up a connection, and to answer a ping. */
const SILENT_MS = 6_000
/** The next try of one that has failed waits for twice as long, up to this: a line may be slow. */
const MAX_HANDSHAKE_MS = 45_000
const FIRST_PAUSE_MS = 250
const TOGETHER_MS = 250
/** The service closes the socket of an ended session with these codes. */
const REJECTIONS: readonly unknown[] = [4401, 4403]

/** How often the socket came back after it was lost: what is on the page may have changed meanwhile. */
export const comebacks = signal(0)

/** How the one socket of the session stands. */
export const liveState = signal<LiveState>('connecting')

/** True while the session has ended under an open page: nothing is asked or followed until the user has signed in again. */
export const isHeld = signal(false)

export const isOffline = signal(!navigator.onLine)

let client: Client | null = null
let closeClient = (): void => {}

// A socket that outlives a short cut says nothing of what was asked meanwhile and failed: it is made anew, and all is asked again.
for (const type of ['online', 'offline'])
  addEventListener(type, () => {
    isOffline.value = !navigator.onLine
    if (navigator.onLine) cutLive()
  })

/** Opens the session's socket, which reconnects for as long as the page is open, once nothing is held. `onRejected`: the session has ended. */
export function openLive(onRejected: () => void): void {
  closeLive()
  liveState.value = 'connecting'
  const silence = new Silence(() => settle(own.terminate()))
  const isCurrent = (): boolean => client === own
  const noteEnd = (event: unknown): void => {
    if (isCurrent() && REJECTIONS.includes((event as CloseEvent)?.code)) onRejected()
  }
  const own: Client = createClient({
    url: `${location.origin.replace(/^http/, 'ws')}${GRAPHQL}`,
    webSocketImpl: LiveSocket,
    lazy: false,
    keepAlive: KEEP_ALIVE_MS,
    retryAttempts: Number.POSITIVE_INFINITY,
    retryWait: async (retries) => {
      await pause(growingPause(FIRST_PAUSE_MS, retries))
      await released()
    },
    shouldRetry: (event) => {
      noteEnd(event)
      return isCurrent()
    },
    onNonLazyError: noteEnd,
    on: signsOf(silence, isCurrent),
  })
  client = own
  closeClient = () => {
    silence.end()
    settle(own.dispose())
  }
}

/** Turns the events of the socket into its state. */
function signsOf(silence: Silence, isCurrent: () => boolean): NonNullable<ClientOptions['on']> {
  let tries = 0
  return {
    connecting: () => silence.begin(Math.min(MAX_HANDSHAKE_MS, SILENT_MS * 2 ** tries++)),
    ping: (isReceived) => !isReceived && silence.begin(SILENT_MS),
    message: () => silence.goOn(),
    pong: (isReceived) => isReceived && silence.end(),
    connected: () => {
      silence.end()
      tries = 0
      if (!isCurrent()) return
      if (liveState.value === 'reconnecting') comebacks.value += 1
      liveState.value = 'live'
    },
    closed: () => {
      silence.end()
      if (isCurrent()) liveState.value = 'reconnecting'
    },
  }
}

/** graphql-ws rejects, whatever its type says, if the socket closes while it opens. */
const settle = (ending: unknown): void => void Promise.resolve(ending).catch(() => {})

/** The browser keeps no page with an open socket. A page that goes on after all connects again, and asks for what is on it. */
export const cutLive = (): void => settle(client?.terminate())

export function closeLive(): void {
  client = null
  closeClient()
  closeClient = () => {}
  giveUpAll()
  isHeld.value = false
}

/** Subscriptions wait until the user has signed in again. */
export function holdLive(): void {
  isHeld.value = true
  cutLive()
}

/** Goes on with all that is followed, and asks for what is on the page. */
export function releaseLive(): void {
  if (!isHeld.peek()) return
  isHeld.value = false
  comebacks.value += 1
}

const released = (): Promise<void> =>
  new Promise((resolve) => {
    const end = isHeld.subscribe((held) => {
      if (held) return
      resolve()
      queueMicrotask(() => end())
    })
  })

/**
 * Follows a subscription until the returned function is called; it goes on by itself after a lost connection. One that the service ends
 * with an error, as where the user's role changes, is begun again after a pause, and all is asked again: `onEnd` is called where it
 * ends for good.
 */
export function follow<Data, Variables>(
  operation: Operation<Data, Variables>,
  variables: Variables,
  onNext: (data: Data) => void,
  onEnd: () => void = () => {},
): () => void {
  const own = client
  if (own === null) return () => {}
  let stop = (): void => {}
  let rejection: Refused | undefined
  const again = new Again({ run: () => begin(), onBack: noteComeback, onEnd })
  const goOn = (): void => {
    if (own !== client || rejection === undefined || rejection.extensions?.code === 'NOT_FOUND') onEnd()
    else again.plan()
  }
  const sink = {
    next: ({ data, errors }: { data?: Data | null; errors?: readonly Refused[] }) => {
      if (data) {
        onNext(data)
        again.done()
      }
      rejection = errors?.[0]
    },
    error: (thrown: unknown) => {
      rejection = Array.isArray(thrown) ? thrown[0] : {}
      goOn()
    },
    complete: goOn,
  }
  const begin = (): void => {
    rejection = undefined
    stop = own.subscribe<Data>({ query: operation.query, variables: variables as Record<string, unknown> }, sink)
  }
  begin()
  return () => {
    rejection = undefined
    again.drop()
    stop()
  }
}

let isNoting = false

/** Once for all that are back in a moment. */
function noteComeback(): void {
  if (isNoting) return
  isNoting = true
  setTimeout(() => {
    isNoting = false
    comebacks.value += 1
  }, TOGETHER_MS)
}

interface Refused {
  readonly extensions?: { readonly code?: string }
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))
