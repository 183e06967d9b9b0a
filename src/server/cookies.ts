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
function nameFor(publicUrl: string, name: string): string {
  const { protocol, port } = new URL(publicUrl)
  return protocol === 'https:' ? `__Host-${name}` : `${name}_${port || '80'}`
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
