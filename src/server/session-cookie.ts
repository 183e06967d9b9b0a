import type { FastifyReply, FastifyRequest } from 'fastify'
import { ServiceError } from '../errors/service-error.ts'
import type { SessionCookie } from '../graphql/builder.ts'

const NAME = 'sonant_session'

/**
 * Browsers accept the `__Host-` prefix only over TLS.
 * They share a host's cookies between ports, so the port separates two services on one machine.
 */
function nameFor(publicUrl: string): string {
  const { protocol, port } = new URL(publicUrl)
  return protocol === 'https:' ? `__Host-${NAME}` : `${NAME}_${port || '80'}`
}

export function readSessionCookie(request: FastifyRequest, publicUrl: string): string | undefined {
  if (request.headers.cookie === undefined) return undefined
  const name = nameFor(publicUrl)
  const pairs = request.headers.cookie.split(';')
  const pair = pairs.map((text) => text.trim()).find((text) => text.startsWith(`${name}=`))
  return pair?.slice(name.length + 1)
}

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

/** Security: no page can forge Origin, so it proves that this service's page sent the request. */
export function isOwnOrigin(request: FastifyRequest, publicUrl: string): boolean {
  const { origin, 'sec-fetch-site': site } = request.headers
  if (origin === undefined) return site === 'same-origin'
  return isOurs(origin, request, publicUrl)
}

/** Browsers send no Origin with links. They send Sec-Fetch-Site to https and loopback only; on plain http the Referer decides. */
export function isLinkOfOwnPage(request: FastifyRequest, publicUrl: string): boolean {
  const { referer, 'sec-fetch-site': site } = request.headers
  if (site !== undefined) return site === 'same-origin'
  return referer !== undefined && URL.canParse(referer) && isOurs(new URL(referer).origin, request, publicUrl)
}

function isForeignPage(request: FastifyRequest, publicUrl: string): boolean {
  const { origin, 'sec-fetch-site': site } = request.headers
  const isFromBrowser = origin !== undefined || (site !== undefined && site !== 'none')
  return isFromBrowser && !isOwnOrigin(request, publicUrl)
}

const isOurs = (origin: string, request: FastifyRequest, publicUrl: string): boolean =>
  origin === new URL(publicUrl).origin || origin === addressedOrigin(request, publicUrl)

function addressedOrigin({ protocol, host }: FastifyRequest, publicUrl: string): string | undefined {
  const address = `${publicUrl.startsWith('https:') ? 'https' : protocol}://${host}`
  return URL.canParse(address) ? new URL(address).origin : undefined
}

export const foreignOrigin = (): ServiceError =>
  new ServiceError('FORBIDDEN', 'Cross-site requests with a session cookie are rejected: send an API key instead.')
