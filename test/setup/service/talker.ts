import { once } from 'node:events'
import { WebSocket } from 'ws'
import { until } from '../wait.ts'

export interface Answer {
  readonly audio?: string
  readonly isFinal?: boolean | null
  readonly contextId?: string
  readonly error?: string
  readonly code?: number
  readonly alignment?: {
    readonly chars: readonly string[]
    readonly charStartTimesMs: readonly number[]
    readonly charsDurationsMs: readonly number[]
  } | null
}

export interface Talker {
  readonly socket: WebSocket
  readonly answers: readonly Answer[]
  /** The close code, once it is closed. */
  readonly closed: Promise<number>
  send(...messages: (object | string | Buffer)[]): void
  /** Audio bytes that came, of one context or all. */
  audio(contextId?: string): Buffer
  /** The text that came with the audio. */
  spoken(contextId?: string): string
  seen(what: string, isThere: (answers: readonly Answer[]) => boolean): Promise<void>
}

/** A client of ElevenLabs' WebSockets. */
export async function talk(url: string, path: string, key: string | null): Promise<Talker> {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/v1/text-to-speech/${path}`, {
    headers: key === null ? {} : { 'xi-api-key': key },
  })
  const answers: Answer[] = []
  socket.on('message', (data) => answers.push(JSON.parse(String(data)) as Answer))
  const closed = once(socket, 'close').then(([code]) => code as number)
  socket.on('error', () => undefined)
  await once(socket, 'open')
  const of = (contextId?: string) => answers.filter((one) => contextId === undefined || one.contextId === contextId)
  return {
    socket,
    answers,
    closed,
    send: (...messages) => {
      for (const message of messages)
        socket.send(typeof message === 'string' || Buffer.isBuffer(message) ? message : JSON.stringify(message))
    },
    audio: (contextId) => Buffer.concat(of(contextId).map(({ audio = '' }) => Buffer.from(audio, 'base64'))),
    spoken: (contextId) =>
      of(contextId)
        .flatMap(({ alignment }) => alignment?.chars ?? [])
        .join(''),
    seen: async (what, isThere) => void (await until(async () => isThere(answers), 20_000, what)),
  }
}
