import { request as send } from 'undici'
import { clientSpan } from '../telemetry/span-names.ts'
import { inClientSpan, noteStatus, traceHeaders } from '../telemetry/spans.ts'
import { BadAudio, EngineError, FailedAttempt } from './engine.ts'
import type { SpeechServerBlock } from './engine-block.ts'
import { type KeyParts, serverKey } from './server-key.ts'
import type { SpeechServer } from './speech-server.ts'

const ERROR_BODY_MAX_BYTES = 64 * 1024
export const TOO_LONG = 'The answer was longer than the text can be.'

/** The key is looked up at every request. */
export interface Connection extends KeyParts {
  readonly block: SpeechServerBlock
  readonly server: SpeechServer
}

export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly bytes: Buffer
}

interface Exchange {
  readonly path: string
  readonly method: 'GET' | 'POST'
  readonly body?: string
  /** In bytes. */
  readonly cap: number
  readonly capOf?: (beginning: Buffer) => number
  readonly signal: AbortSignal
}

/** @throws EngineError; the signal's reason */
export function exchange(connection: Connection, request: Exchange): Promise<Answer> {
  const { method, path } = request
  const span = () => clientSpan(method, path.slice(path.lastIndexOf('/') + 1), connection.server.baseUrl)
  return inClientSpan(span, () => exchangeOnce(connection, request))
}

export async function exchangeOnce(connection: Connection, request: Exchange): Promise<Answer> {
  const { server } = connection
  const { path, method, body, cap, signal } = request
  const headers = {
    accept: 'audio/wav, application/json',
    ...(body !== undefined && { 'content-type': 'application/json' }),
    ...authorization(connection),
    ...traceHeaders(),
  }
  let isAnswering = false
  try {
    const {
      statusCode,
      headers: answered,
      body: stream,
    } = await send(`${server.baseUrl}${path}`, {
      dispatcher: server.agent,
      method,
      headers,
      body: body ?? null,
      signal,
    })
    noteStatus(statusCode)
    isAnswering = statusCode === 200
    const bytes = await (statusCode === 200
      ? readUpTo(stream, cap, request.capOf)
      : readUpTo(stream, ERROR_BODY_MAX_BYTES))
    if (bytes === null && statusCode === 200) throw new BadAudio(TOO_LONG)
    return { status: statusCode, headers: answered, bytes: bytes ?? Buffer.alloc(0) }
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof EngineError) throw error
    const { code, name } = error as NodeJS.ErrnoException
    // Some servers look at a request only after this status, so it may be the request's fault.
    if (isAnswering) throw new FailedAttempt(`The server broke off its answer (${code ?? name}).`, { cause: error })
    throw new EngineError('PROVIDER_UNAVAILABLE', `The server cannot be reached (${code ?? name}).`, { cause: error })
  }
}

/** Empty: the server wants none. @throws EngineError INTERNAL_ERROR */
export const keyOf = (connection: Connection): string => serverKey(connection.block, connection) ?? ''

function authorization(connection: Connection): { authorization?: string } {
  const key = keyOf(connection)
  return key === '' ? {} : { authorization: `Bearer ${key}` }
}

export const first = (header: string | string[] | undefined): string | undefined =>
  Array.isArray(header) ? header[0] : header

/**
 * Returns null beyond `cap` bytes and closes the connection.
 * @param capOf judges the beginning once it exceeds `cap`
 */
async function readUpTo(
  stream: AsyncIterable<Uint8Array>,
  cap: number,
  capOf: (beginning: Buffer) => number = () => cap,
): Promise<Buffer | null> {
  const parts: Uint8Array[] = []
  let [length, most] = [0, cap]
  for await (const part of stream) {
    length += part.length
    parts.push(part)
    if (length > most && most === cap) most = capOf(Buffer.concat(parts, length))
    if (length > most) return null
  }
  return Buffer.concat(parts, length)
}
