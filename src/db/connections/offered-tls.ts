import { createConnection } from 'node:net'

const ANSWER_MS = 10_000
const DEFAULT_PORT = 5432
/** SSLRequest of PostgreSQL's protocol: length and request code. */
const SSL_REQUEST = Buffer.from([0, 0, 0, 8, 0x04, 0xd2, 0x16, 0x2f])
const YES = 'S'

const EITHER: ReadonlySet<string | null> = new Set(['allow', 'prefer'])

/**
 * Replaces `sslmode=prefer` or `allow` by `require` if the server offers TLS, else `disable`. Without an answer it is `require`, so
 * no failure leads to plain text.
 */
export async function withOfferedTls(databaseUrl: string): Promise<string> {
  const url = new URL(databaseUrl)
  if (!EITHER.has(url.searchParams.get('sslmode'))) return databaseUrl
  url.searchParams.set('sslmode', (await offersTls(url)) ? 'require' : 'disable')
  return url.href
}

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
