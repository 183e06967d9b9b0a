import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http'
import { isIPv6 } from 'node:net'
import type { Duplex } from 'node:stream'
import { errorHeaders } from '../errors/describe-error.ts'
import { invalidRequest, ServiceError } from '../errors/service-error.ts'
import { SAFETY_HEADERS } from '../http/headers.ts'
import { errorBody, REQUEST_ID_HEADER, requestIdOf } from './errors-to-json.ts'

const LINGER_MS = 30_000

const HINTS: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: 'Send a shorter address and fewer headers.',
  ERR_HTTP_REQUEST_TIMEOUT: 'Send the whole request sooner.',
}

const HOST =
  /^(?:\[[0-9a-f:.]+\]|(?:[\w.~-]|%[0-9a-f]{2})+)(?::(?:\d{0,4}|[0-5]\d{4}|6[0-4]\d{3}|65[0-4]\d\d|655[0-2]\d|6553[0-5]))?$/i

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

/** Describes a violation of RFC 9112 section 3.2 in the Host header; null if there is none. */
export function hostViolation({ headers, rawHeaders, httpVersion }: IncomingMessage): string | null {
  const { host } = headers
  if (host === undefined) return httpVersion === '1.1' ? 'Send a Host header.' : null
  if (!isWellFormed(host)) return 'Send a well-formed Host header.'
  return hasSeveralHosts(rawHeaders) ? 'Send one Host header.' : null
}

function isWellFormed(host: string): boolean {
  return HOST.test(host) && (!host.startsWith('[') || isIPv6(host.slice(1, host.indexOf(']'))))
}

/** Security: node keeps the first Host header, but a proxy may route by another one. */
function hasSeveralHosts(rawHeaders: readonly string[]): boolean {
  let count = 0
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] as string
    if (name.length === 4 && name.toLowerCase() === 'host') count += 1
  }
  return count > 1
}
