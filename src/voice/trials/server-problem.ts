import { placeOfServer } from '../../catalog/files/hidden-password.ts'
import { EngineError } from '../../engines/engine.ts'

interface Block {
  readonly kind?: string
  readonly base_url?: string | undefined
}

const CERTIFICATE = /CERT|SELF_SIGNED|UNABLE_TO_(?:VERIFY|GET_ISSUER)|ALTNAME/
const ANSWERED = /answered (\d{3})|(\d{3}) was answered/

/** Says in one sentence for the operator what is wrong with a server, and what to do. Its own words come last, if it sent any. */
export function problemOf(error: unknown, { base_url: address = '' }: Block): string {
  const place = placeOfServer(address)
  const code = codeOf(error)
  if (isLate(error))
    return `${nameOf(place)} did not answer in time: it may still load its model, so try again in a minute.`
  const lost = code === undefined ? undefined : lostBecause(code, place)
  if (lost !== undefined) return lost
  const message = error instanceof EngineError ? error.message : String((error as Error)?.message ?? error)
  const [, answered, told] = ANSWERED.exec(message) ?? []
  const status = answered ?? told
  return (status === undefined ? undefined : refusedBecause(Number(status), place)) ?? saidBy(message)
}

/** The code of the system's error, which lies below the engine's; of an answer that is not HTTP its name. */
function codeOf(error: unknown): string | undefined {
  for (let one = error as Partial<NodeJS.ErrnoException> | null | undefined; one; one = one.cause as typeof one)
    if (!(one instanceof EngineError)) return one.code ?? one.name
  return undefined
}

function isLate(error: unknown): boolean {
  for (let one = error as { name?: unknown; cause?: unknown } | null | undefined; one; one = one.cause as typeof one)
    if (one.name === 'TimeoutError') return true
  return false
}

const nameOf = (place: string): string => (place === '' ? 'The engine' : place)

/** With the port, which is what is wrong most often. */
function hostOf(place: string): string {
  if (!URL.canParse(place)) return place
  const { hostname, port, protocol } = new URL(place)
  return `${hostname}:${port || (protocol === 'https:' ? '443' : '80')}`
}

function lostBecause(code: string, place: string): string | undefined {
  const host = hostOf(place)
  if (code === 'ECONNREFUSED') return `Nothing answers at ${host}: start the server, or correct the port.`
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN')
    return `No machine is known by the name in ${host}: correct it, or give the machine's address in numbers.`
  if (code === 'EHOSTUNREACH' || code === 'ENETUNREACH' || code === 'UND_ERR_CONNECT_TIMEOUT' || code === 'ETIMEDOUT')
    return `There is no way to ${host}: see that the machine is on, and that no firewall stands between.`
  if (code === 'HTTPParserError') return `Something answers at ${host}, but it is no web server: correct the port.`
  if (code === 'ERR_SSL_WRONG_VERSION_NUMBER' || code === 'ERR_SSL_PACKET_LENGTH_TOO_LONG')
    return `The server at ${host} does not encrypt: write http:// in front of the address.`
  if (CERTIFICATE.test(code))
    return `The certificate of ${host} is not trusted here: use the name that it was made for, or have the service trust it.`
  if (code === 'ECONNRESET' || code === 'UND_ERR_SOCKET')
    return `The server at ${host} hung up without an answer: see whether it runs, and whether it wants https:// in front.`
  return undefined
}

function refusedBecause(status: number, place: string): string | undefined {
  const name = nameOf(place)
  if (status === 401 || status === 403)
    return `${name} does not accept the key: enter it again, or ask who runs the server.`
  if (status >= 300 && status < 400) return `${name} sends on to another address: enter that one.`
  if (status === 429) return `${name} is busy: try again in a minute.`
  if (status === 503) return `${name} is busy or still starts: try again in a minute.`
  if (status >= 500) return `${name} fails by itself (${status}): look at its own log, or start it again.`
  return undefined
}

const saidBy = (message: string): string => `The engine did not speak. ${message.replace(/\.?$/, '.')}`
