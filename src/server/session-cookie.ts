import type { FastifyReply, FastifyRequest } from 'fastify'
import { ServiceError } from '../errors/service-error.ts'
import type { SessionCookie } from '../graphql/builder.ts'

const NAME = 'sonant_session'

/**
 * Browsers keep the prefixed name to this very host and to TLS; without TLS they would refuse it. They send a host's cookies to all of its
 * ports: the port in the name keeps two services on one machine from signing each other's users out.
 */
function nameFor(publicUrl: string): string {
  const { protocol, port } = new URL(publicUrl)
  return protocol === 'https:' ? `__Host-${NAME}` : `${NAME}_${port || '80'}`
}

/** The token that a browser sends, or undefined. */
export function readSessionCookie(request: FastifyRequest, publicUrl: string): string | undefined {
  if (request.headers.cookie === undefined) return undefined
  const name = nameFor(publicUrl)
  const pairs = request.headers.cookie.split(';')
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
  return {
    set: write,
    clear: () => write('', new Date(0)),
    rejectForeign: () => {
      if (isForeignPage(reply.request, publicUrl)) throw foreignOrigin()
    },
  }
}

/**
 * Whether a request that a browser's cookie goes with was made by a page of this service: by its Origin, which no page can forge. One
 * without Origin was not made by a script of a browser that is recent enough to be trusted with a cookie.
 */
export function isOwnOrigin(request: FastifyRequest, publicUrl: string): boolean {
  const { origin, 'sec-fetch-site': site } = request.headers
  if (origin === undefined) return site === 'same-origin'
  return isOurs(origin, request, publicUrl)
}

/**
 * Whether a page of this service leads to a file, which a browser asks for without an Origin: it says so itself (Fetch Metadata), though to
 * https and loopback alone. Of plain http elsewhere the Referer tells, which no page can forge, and which our own pages send.
 */
export function isLinkOfOwnPage(request: FastifyRequest, publicUrl: string): boolean {
  const { referer, 'sec-fetch-site': site } = request.headers
  if (site !== undefined) return site === 'same-origin'
  return referer !== undefined && URL.canParse(referer) && isOurs(new URL(referer).origin, request, publicUrl)
}

/** Whether a page of another origin sends the request. What is no browser sends neither header. */
function isForeignPage(request: FastifyRequest, publicUrl: string): boolean {
  const { origin, 'sec-fetch-site': site } = request.headers
  const isFromBrowser = origin !== undefined || (site !== undefined && site !== 'none')
  return isFromBrowser && !isOwnOrigin(request, publicUrl)
}

const isOurs = (origin: string, request: FastifyRequest, publicUrl: string): boolean =>
  origin === new URL(publicUrl).origin || origin === addressedOrigin(request, publicUrl)

/** Scheme, host and port that the caller asked; behind TLS the proxy need not say which scheme that was. */
function addressedOrigin({ protocol, host }: FastifyRequest, publicUrl: string): string | undefined {
  const address = `${publicUrl.startsWith('https:') ? 'https' : protocol}://${host}`
  return URL.canParse(address) ? new URL(address).origin : undefined
}

export const foreignOrigin = (): ServiceError =>
  new ServiceError('FORBIDDEN', 'Cross-site requests with a session cookie are rejected: send an API key instead.')
