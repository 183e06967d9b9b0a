import type { FastifyReply, FastifyRequest } from 'fastify'

interface Cookie {
  readonly name: string
  readonly value: string
  readonly expires: Date
}

/**
 * Browsers accept the `__Host-` prefix only over TLS.
 * They share a host's cookies between ports, so the port separates two services on one machine.
 */
function affixesFor(publicUrl: string): [string, string] {
  const { protocol, port } = new URL(publicUrl)
  return protocol === 'https:' ? ['__Host-', ''] : ['', `_${port || '80'}`]
}

const nameFor = (publicUrl: string, name: string): string => affixesFor(publicUrl).join(name)

/** The request's cookies whose names begin so. Browsers send the oldest first. */
export function cookieNames(request: FastifyRequest, publicUrl: string, prefix: string): string[] {
  const [start, end] = affixesFor(publicUrl)
  return (request.headers.cookie ?? '')
    .split(';')
    .map((pair) => pair.trim().split('=', 1)[0]!)
    .filter((name) => name.startsWith(start + prefix) && name.endsWith(end))
    .map((name) => name.slice(start.length, name.length - end.length))
}

export function readCookie(request: FastifyRequest, publicUrl: string, cookie: string): string | undefined {
  if (request.headers.cookie === undefined) return undefined
  const name = nameFor(publicUrl, cookie)
  const pairs = request.headers.cookie.split(';')
  const pair = pairs.map((text) => text.trim()).find((text) => text.startsWith(`${name}=`))
  return pair?.slice(name.length + 1)
}

/** Adds a cookie that scripts cannot read and that other sites send with links alone. */
export function writeCookie(reply: FastifyReply, publicUrl: string, { name, value, expires }: Cookie): void {
  const secure = publicUrl.startsWith('https:') ? '; Secure' : ''
  const pair = `${nameFor(publicUrl, name)}=${value}`
  reply
    .header('set-cookie', `${pair}; Path=/; Expires=${expires.toUTCString()}; HttpOnly; SameSite=Lax${secure}`)
    .header('cache-control', 'no-store')
}
