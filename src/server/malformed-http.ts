import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { errorHeaders } from '../errors/describe-error.ts'
import { invalidRequest, ServiceError } from '../errors/service-error.ts'
import { SAFETY_HEADERS } from '../http/safety-headers.ts'
import { errorBody } from './errors-to-json.ts'
import { REQUEST_ID_HEADER, requestIdOf } from './request-id.ts'

const LINGER_MS = 30_000

const HINTS: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: 'Send a shorter address and fewer headers.',
  ERR_HTTP_REQUEST_TIMEOUT: 'Send the whole request sooner.',
}

interface ConnectionError extends Error {
  readonly code?: string
}

interface HttpSocket extends Duplex {
  readonly _httpMessage?: { readonly _headerSent: boolean } | null
  readonly bytesRead?: number
}

/** Answers malformed or late HTTP with a JSON error and closes the connection. */
export function answerMalformedHttp(error: ConnectionError, socket: Duplex): void {
  const { _httpMessage: response, bytesRead } = socket as HttpSocket
  // The client still sends; closing now would reset the connection before it reads the answer.
  if (socket.writableEnded && !socket.readableEnded && error.code?.startsWith('HPE_')) return
  const silent = !socket.writable || error.code === 'ECONNRESET' || bytesRead === 0
  if (silent || response?._headerSent) {
    socket.destroy(error)
    return
  }
  const answer = invalidRequest(HINTS[error.code ?? ''] ?? 'Send a well-formed HTTP request.')
  socket.end(rawResponse(answer, requestIdOf({})))
  const lingering = setTimeout(() => socket.destroy(), LINGER_MS).unref()
  socket.once('close', () => clearTimeout(lingering))
}

/** Answers CONNECT with 405; node would drop the socket silently. */
export const answerTunnel =
  (allow: string) =>
  ({ headers }: IncomingMessage, socket: Duplex): void => {
    socket.on('error', () => socket.destroy())
    const error = new ServiceError('METHOD_NOT_ALLOWED', 'Send requests to this service itself: it is no proxy.')
    const response = rawResponse(error, requestIdOf(headers), { allow })
    socket.end(response, () => socket.destroy())
  }

/** Rejects an `Expect` header other than 100-continue; node would send an empty body. */
export function answerUnknownExpectation(request: IncomingMessage, response: ServerResponse): void {
  const error = invalidRequest('Leave out the Expect header, or send "100-continue".')
  const body = errorBody(error)
  const id = { [REQUEST_ID_HEADER]: requestIdOf(request.headers), 'content-length': Buffer.byteLength(body) }
  response.writeHead(error.status, { ...SAFETY_HEADERS, ...errorHeaders(error), ...id }).end(body)
}

function rawResponse(error: ServiceError, requestId: string, more: Record<string, string> = {}): string {
  const body = errorBody(error)
  const headers = {
    ...SAFETY_HEADERS,
    ...errorHeaders(error),
    ...more,
    [REQUEST_ID_HEADER]: requestId,
    'content-length': String(Buffer.byteLength(body)),
    connection: 'close',
  }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  return `HTTP/1.1 ${error.status} ${STATUS_CODES[error.status]}\r\n${lines.join('')}\r\n${body}`
}
