import { createConnection } from 'node:net'

const ANSWER_MS = 10_000
const DEFAULT_PORT = 5432
/** Eight bytes: their length, and the number that asks for TLS in place of a version of the protocol. */
const SSL_REQUEST = Buffer.from([0, 0, 0, 8, 0x04, 0xd2, 0x16, 0x2f])
const YES = 'S'

/** What leaves it to the server. libpq's `allow` begins in plain text: nothing is lost by TLS where the server has it. */
const EITHER: ReadonlySet<string | null> = new Set(['allow', 'prefer'])

/**
 * A PostgreSQL URL whose `sslmode=prefer` or `allow` is what the server offers now: `require`, or `disable` where it has no TLS or is
 * reached by a Unix socket. A server that does not answer keeps `require`: a connection that fails is never tried again in plain text.
 */
export async function withOfferedTls(databaseUrl: string): Promise<string> {
  const url = new URL(databaseUrl)
  if (!EITHER.has(url.searchParams.get('sslmode'))) return databaseUrl
  url.searchParams.set('sslmode', (await offersTls(url)) ? 'require' : 'disable')
  return url.href
}

/** Whether it leads to a Unix socket, which has no TLS. */
export const isBySocket = (url: URL): boolean => hostOf(url).startsWith('/')

const hostOf = ({ hostname, searchParams }: URL): string => searchParams.get('host') ?? decodeURIComponent(hostname)

function offersTls(url: URL): Promise<boolean> {
  if (isBySocket(url)) return Promise.resolve(false)
  const host = hostOf(url).replace(/^\[|\]$/g, '')
  const socket = createConnection({ host, port: Number(url.port) || DEFAULT_PORT })
  socket.setTimeout(ANSWER_MS, () => socket.destroy())
  socket.on('connect', () => socket.write(SSL_REQUEST))
  return new Promise<boolean>((resolve) => {
    socket.once('data', (answer) => resolve(answer.toString('latin1', 0, 1) === YES))
    socket.on('error', () => resolve(true))
    socket.on('close', () => resolve(true))
  }).finally(() => socket.destroy())
}
