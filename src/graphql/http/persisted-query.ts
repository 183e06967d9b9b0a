import type { FastifyReply } from 'fastify'
import { JSON_TYPE } from '../../errors/describe-error.ts'

/** Apollo clients look for this message or code, then send the whole document. */
const NOT_SUPPORTED = { message: 'PersistedQueryNotSupported', code: 'PERSISTED_QUERY_NOT_SUPPORTED' }

export function namesPersisted(body: Readonly<Record<string, unknown>> | null, { searchParams }: URL): boolean {
  if (body !== null) return !body.query && holdsHash(body.extensions)
  return !searchParams.get('query') && holdsHash(parsed(searchParams.get('extensions')))
}

export function rejectPersisted(reply: FastifyReply, isOwnType: boolean): FastifyReply {
  const { message, code } = NOT_SUPPORTED
  const type = isOwnType ? 'application/graphql-response+json; charset=utf-8' : JSON_TYPE
  const errors = [{ message, extensions: { code, requestId: reply.request.id } }]
  return reply.header('cache-control', 'no-store').type(type).send(JSON.stringify({ errors }))
}

const holdsHash = (extensions: unknown): boolean =>
  typeof extensions === 'object' &&
  extensions !== null &&
  typeof (extensions as Record<string, unknown>).persistedQuery === 'object'

function parsed(text: string | null): unknown {
  try {
    return JSON.parse(text ?? 'null')
  } catch {
    return null
  }
}
