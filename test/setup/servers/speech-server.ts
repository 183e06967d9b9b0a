import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { setTimeout as wait } from 'node:timers/promises'
import { writeWav } from '../../../src/audio/wav.ts'
import { type Listening, listening } from './listening.ts'

const RATE = 24_000
const PIECES = 5

/** The server's treatment of one request. Without any it hums as long as the text takes to speak. */
export interface SpeechReply {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  /** Sent as JSON, instead of audio. */
  readonly json?: unknown
  /** Sent as it is, instead of audio. */
  readonly body?: Uint8Array | string
  /** How long the hum is. */
  readonly seconds?: number
  /** How loud it is, and how much silence stands before and after it. */
  readonly peak?: number
  readonly edgeSeconds?: number
  /** The sizes in the header are what a streaming server writes. */
  readonly streamingHeader?: boolean
  /** Before the first byte. */
  readonly delayMs?: number
  /** No answer before this resolves. */
  readonly until?: Promise<void>
  /** Before each fifth of the body. */
  readonly slowMs?: number
  /** No answer, until the client goes away. */
  readonly hang?: boolean
  /** The connection ends in the middle of the body. */
  readonly cut?: boolean
  /** The connection ends without an answer. */
  readonly reset?: boolean
  /** Told when the answer begins. */
  readonly onAnswer?: () => void
}

/** A public path's answer to GET. */
export type Page = Pick<SpeechReply, 'status' | 'headers' | 'json' | 'body' | 'hang' | 'delayMs'>

/** One request to `POST /v1/audio/speech`. */
export interface SpeechCall {
  readonly body: Record<string, unknown>
  readonly headers: IncomingMessage['headers']
  readonly at: number
}

type Refuse = (headers: IncomingMessage['headers']) => SpeechReply | undefined

export interface SpeechServer extends Listening {
  readonly calls: SpeechCall[]
  /** Requests being answered now, and the most that ever were at once. */
  readonly inFlight: () => number
  readonly mostInFlight: () => number
  /** Requests whose client went away before the answer was complete. */
  readonly abandoned: () => number
  /** When they went, by performance.now(). */
  readonly abandonedAt: readonly number[]
  /** Sets the next answers, by the text and the number of earlier requests. */
  answer(script: (call: SpeechCall, index: number) => SpeechReply): void
  /** Sets the list of `GET /v1/audio/voices`; null: there is no such path. */
  offer(voices: unknown): void
  /** Sets the public paths; `refuse` answers requests with a wrong key, those for speech too. */
  show(pages: Readonly<Record<string, Page>>, refuse?: Refuse): void
  /** Sets the answer of `POST /dev/captioned_speech` besides the audio, by the text; null: there is no such path. */
  caption(timestamps: ((text: string) => SpeechReply & { timestamps?: unknown }) | null): void
}

/** How long the hum of a text is, unless the script says otherwise: the pace of an English speaker. */
export const humSeconds = (text: string): number => Math.max(0.3, text.length * 0.06)

/** A stand-in for a GPU server that speaks OpenAI's speech API, on a port of its own or on a given one. */
export async function startSpeechServer(port = 0): Promise<SpeechServer> {
  const calls: SpeechCall[] = []
  let script: (call: SpeechCall, index: number) => SpeechReply = () => ({})
  let pages: Readonly<Record<string, Page>> = {}
  let refuse: Refuse = () => undefined
  let captions: Parameters<SpeechServer['caption']>[0] = null
  const abandonedAt: number[] = []
  let [inFlight, most] = [0, 0]

  const speak = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    inFlight++
    most = Math.max(most, inFlight)
    response.once('close', () => {
      inFlight--
      if (!response.writableFinished) abandonedAt.push(performance.now())
    })
    const body = JSON.parse((await buffer(request)).toString()) as Record<string, unknown>
    const call = { body, headers: request.headers, at: performance.now() }
    calls.push(call)
    await play(refuse(call.headers) ?? script(call, calls.length - 1), String(body.input), response)
  }

  const server = createServer((request, response) => {
    if (request.url === '/v1/audio/speech' && request.method === 'POST') {
      // A client may go away before its request is whole.
      return void speak(request, response).catch(() => response.destroy())
    }
    if (request.url === '/dev/captioned_speech' && captions !== null) {
      return void sendCaptioned(captions, request, response).catch(() => response.destroy())
    }
    const page = refuse(request.headers) ?? pages[request.url ?? ''] ?? { status: 404, json: { detail: 'Not Found' } }
    void play(page, '', response)
  })
  const open = await listening(server, port)
  return {
    ...open,
    calls,
    inFlight: () => inFlight,
    mostInFlight: () => most,
    abandoned: () => abandonedAt.length,
    abandonedAt,
    answer: (next) => {
      script = next
    },
    offer: (list) => {
      pages = list === null ? {} : { '/v1/audio/voices': { json: list } }
    },
    show: (shown, wants = () => undefined) => {
      pages = shown
      refuse = wants
    },
    caption: (next) => {
      captions = next
    },
  }
}

async function sendCaptioned(
  captions: NonNullable<Parameters<SpeechServer['caption']>[0]>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { input } = JSON.parse((await buffer(request)).toString()) as { input: string }
  const { timestamps, ...reply } = captions(input)
  const audio = Buffer.from(hum(reply.seconds ?? humSeconds(input), reply)).toString('base64')
  await play({ json: { audio, audio_format: 'wav', timestamps }, ...reply }, input, response)
}

async function play(reply: SpeechReply, text: string, response: ServerResponse): Promise<void> {
  await reply.until
  if (reply.delayMs !== undefined) await wait(reply.delayMs)
  if (reply.hang === true) return
  if (reply.reset === true) return void response.destroy()
  reply.onAnswer?.()
  const isJson = reply.json !== undefined
  const body = isJson ? JSON.stringify(reply.json) : (reply.body ?? hum(reply.seconds ?? humSeconds(text), reply))
  const bytes = Buffer.from(body as string)
  response.writeHead(reply.status ?? 200, {
    'content-type': isJson ? 'application/json' : 'audio/wav',
    ...(reply.slowMs === undefined && { 'content-length': String(bytes.length) }),
    ...reply.headers,
  })
  if (reply.cut === true) {
    response.write(bytes.subarray(0, bytes.length / 2), () => response.destroy())
    return
  }
  const size = Math.ceil(bytes.length / (reply.slowMs === undefined ? 1 : PIECES))
  for (let at = 0; at < bytes.length && !response.destroyed; at += size) {
    if (reply.slowMs !== undefined) await wait(reply.slowMs)
    response.write(bytes.subarray(at, at + size))
  }
  response.end()
}

function hum(seconds: number, { peak = 8000, edgeSeconds = 0, streamingHeader = false }: SpeechReply): Uint8Array {
  const samples = new Int16Array(Math.round((seconds + 2 * edgeSeconds) * RATE))
  const edge = Math.round(edgeSeconds * RATE)
  for (let at = edge; at < samples.length - edge; at++) samples[at] = Math.round(Math.sin(at / 17) * peak)
  const file = Buffer.from(writeWav(samples, RATE))
  if (streamingHeader) for (const at of [4, 40]) file.writeUInt32LE(0xffffffff, at)
  return file
}
