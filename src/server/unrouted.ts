import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { notFound, ServiceError } from '../errors.ts'
import { sendError } from './errors-to-json.ts'

interface KnownPath {
  readonly pattern: RegExp
  readonly methods: Set<string>
}

/** Tells, before a body is read, why no route takes a request. */
export interface Unrouted {
  refuse(request: FastifyRequest, reply: FastifyReply): ServiceError
}

/**
 * 404 for unknown addresses and 405 with `Allow` for unknown methods, decided by the path's pattern alone: neither the slug nor the
 * key matters (contract.md section 2). Has to be mounted before the routes that it is to know.
 */
export function mountUnrouted(app: FastifyInstance): Unrouted {
  const known = new Map<string, KnownPath>()
  app.addHook('onRoute', ({ url, method }) => {
    const path = known.get(url) ?? { pattern: patternOf(url), methods: new Set<string>() }
    for (const name of [method].flat()) path.methods.add(name)
    known.set(url, path)
  })
  app.setNotFoundHandler((request, reply) => sendError(reply, refuse(request, reply)))
  const refuse = ({ url, method }: FastifyRequest, reply: FastifyReply): ServiceError => {
    const allowed = allowedMethods(known.values(), url)
    // A route that took the request and found nothing, such as a missing file, ends here, too.
    if (allowed.length === 0 || allowed.includes(method)) return notFound()
    reply.header('allow', allowed.join(', '))
    return new ServiceError('METHOD_NOT_ALLOWED', 'Use one of the methods in the Allow header.')
  }
  return { refuse }
}

function allowedMethods(known: Iterable<KnownPath>, url: string): string[] {
  const path = decodePath(url)
  const allowed = new Set<string>()
  for (const { pattern, methods } of known) if (pattern.test(path)) for (const method of methods) allowed.add(method)
  return [...allowed].sort()
}

/** A pattern of fastify's router as a regular expression: `:name` is one segment, `*` the rest. */
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
