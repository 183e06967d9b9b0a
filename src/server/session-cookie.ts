import type { FastifyReply, FastifyRequest } from 'fastify'
import type { SessionCookie } from '../graphql/builder.ts'

const NAME = 'sonant_session'

/** Browsers keep the prefixed name to this very host and to TLS; without TLS they would refuse it. */
const nameFor = (publicUrl: string): string => (publicUrl.startsWith('https:') ? `__Host-${NAME}` : NAME)

/** The token that a browser sends, or undefined. */
export function readSessionCookie(request: FastifyRequest, publicUrl: string): string | undefined {
  const name = nameFor(publicUrl)
  const pairs = request.headers.cookie?.split(';') ?? []
  const pair = pairs.map((text) => text.trim()).find((text) => text.startsWith(`${name}=`))
  return pair?.slice(name.length + 1)
}

/** Sets the cookie on an answer, out of reach of scripts and of other sites. */
export function sessionCookie(reply: FastifyReply, publicUrl: string): SessionCookie {
  const write = (token: string, expires: Date) => {
    const secure = publicUrl.startsWith('https:') ? '; Secure' : ''
    const value = `${nameFor(publicUrl)}=${token}; Path=/; Expires=${expires.toUTCString()}; HttpOnly; SameSite=Lax${secure}`
    reply.header('set-cookie', value).header('cache-control', 'no-store')
  }
  return { set: write, clear: () => write('', new Date(0)) }
}

/**
 * Whether a request that a browser's cookie goes with was made by a page of this service: by its Origin, which no page can forge. One
 * without Origin was not made by a script of a browser that is recent enough to be trusted with a cookie.
 */
export function isOwnOrigin({ headers }: FastifyRequest, publicUrl: string): boolean {
  if (headers.origin === undefined) return headers['sec-fetch-site'] === 'same-origin'
  if (!URL.canParse(headers.origin)) return false
  const { origin, host } = new URL(headers.origin)
  return origin === new URL(publicUrl).origin || host === headers.host
}
