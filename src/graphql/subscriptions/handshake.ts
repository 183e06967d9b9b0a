import type { IncomingMessage } from 'node:http'

export const GRAPHQL_PATH = '/graphql'

const KEY = /^[+/0-9A-Za-z]{22}==$/
/** RFC 9110 section 5.6.2. */
const PROTOCOLS = /^[!#$%&'*+\-.^_`|~\w]+(\s*,\s*[!#$%&'*+\-.^_`|~\w]+)*$/
const VERSION = /^(8|13)$/

export const isHandshake = ({ method, url, headers }: IncomingMessage): boolean =>
  method === 'GET' &&
  url?.split('?', 1)[0] === GRAPHQL_PATH &&
  headers.upgrade?.toLowerCase() === 'websocket' &&
  headers.connection?.toLowerCase().includes('upgrade') === true

/** Only a well-formed handshake (RFC 6455 section 4.2.1) leaves HTTP, because HTTP's time limits end there. */
export function leavesHttp(request: IncomingMessage): boolean {
  const { headers, httpVersion } = request
  return isHandshake(request) && httpVersion === '1.1' && isWellFormed(headers)
}

function isWellFormed(headers: IncomingMessage['headers']): boolean {
  const protocols = headers['sec-websocket-protocol']
  if (!KEY.test(headers['sec-websocket-key'] ?? '') || !VERSION.test(headers['sec-websocket-version'] ?? ''))
    return false
  return protocols === undefined || isProtocolList(protocols)
}

function isProtocolList(header: string): boolean {
  if (!PROTOCOLS.test(header)) return false
  const names = header.split(',').map((name) => name.trim())
  return new Set(names).size === names.length
}
