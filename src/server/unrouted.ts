import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Authenticate } from '../../rest/authorize.ts'
import { isElevenlabsPath, sendElevenlabsError } from '../elevenlabs/mount-elevenlabs.ts'
import { errorHeaders, toServiceError } from '../errors/describe-error.ts'
import { notFound, ServiceError } from '../errors/service-error.ts'
import { SAFETY_HEADERS } from '../http/headers.ts'
import { OPENAI_ROOT, sendOpenaiError } from '../openai/mount-openai.ts'
import { createExpose } from './cors.ts'
import { errorBody, REQUEST_ID_HEADER, sendError } from './errors-to-json.ts'

interface KnownPath {
  readonly pattern: RegExp
  readonly methods: Set<string>
  secured: boolean
}

declare module 'fastify' {
  interface FastifyContextConfig {
    secured?: boolean
    browsersOnly?: boolean
  }
}

/**
 * Explains, before a body is read, why no route takes a request.
 * @throws UNAUTHORIZED, RATE_LIMITED if the path needs a key
 */
interface Unrouted {
  errorOf(request: FastifyRequest, reply: FastifyReply): ServiceError | Promise<ServiceError>
}

/**
 * Answers 404 for unknown addresses and 405 with `Allow` for unknown methods.
 * A path that needs a key answers 401 first. Mount it before the routes that it must know.
 */
export function mountUnrouted(app: FastifyInstance, authenticate: Authenticate): Unrouted {
  const known = new Map<string, KnownPath>()
  app.addHook('onRoute', ({ url, method, config }) => {
    if (config?.browsersOnly === true) return
    const path = known.get(url) ?? { pattern: patternOf(url), methods: new Set<string>(), secured: false }
    for (const name of [method].flat()) path.methods.add(name)
    path.secured ||= config?.secured === true
    known.set(url, path)
  })
  app.setNotFoundHandler(async (request, reply) => sendError(reply, await errorOf(request, reply)))
  const errorOf: Unrouted['errorOf'] = (request, reply) => {
    const path = decodePath(request.url)
    const matching = [...known.values()].filter(({ pattern }) => pattern.test(path))
    const allowed = [...new Set(matching.flatMap(({ methods }) => [...methods]))].sort()
    if (allowed.length === 0 || allowed.includes(request.method)) return notFound()
    const isSecured = matching.some(({ secured }) => secured)
    return isSecured
      ? authenticate(request, reply).then(() => methodNotAllowed(reply, allowed))
      : methodNotAllowed(reply, allowed)
  }
  return { errorOf }
}

function methodNotAllowed(reply: FastifyReply, allowed: readonly string[]): ServiceError {
  reply.header('allow', allowed.join(', '))
  return new ServiceError('METHOD_NOT_ALLOWED', 'Use one of the methods in the Allow header.')
}

function patternOf(url: string): RegExp {
  const segments = url.split('/').map((segment) => {
    if (segment.startsWith(':')) return '[^/]*'
    return segment === '*' ? '.*' : segment.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
  })
  return new RegExp(`^${segments.join('/')}$`, 's')
}

function decodePath(url: string): string {
  const path = url.replace(/[?#].*$/s, '')
  try {
    return decodeURI(path)
  } catch {
    return path
  }
}

/** Answers addresses that the router cannot parse. The server's hooks do not run for them. */
export function createBadAddress(corsOrigins: readonly string[]) {
  const expose = createExpose(corsOrigins)
  return (thrown: Error, request: FastifyRequest, reply: FastifyReply): void => {
    if (request.raw.headers.upgrade !== undefined) reply.raw.shouldKeepAlive = false
    reply.headers({ ...SAFETY_HEADERS, [REQUEST_ID_HEADER]: request.id })
    if (isElevenlabsPath(request.raw.url ?? '')) {
      sendElevenlabsError(request, reply, thrown)
      return
    }
    if (request.raw.url?.startsWith(`${OPENAI_ROOT}/`)) {
      sendOpenaiError(request, reply, thrown)
      return
    }
    expose(request, reply)
    const error = toServiceError(thrown)
    reply.code(error.status).headers(errorHeaders(error)).send(errorBody(error))
  }
}
