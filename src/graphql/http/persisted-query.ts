import type { FastifyReply } from 'fastify'
import { JSON_TYPE } from '../../errors/describe-error.ts'

/** As Apollo's server says it: clients look for this message or this code, and send the document itself then. */
const NOT_SUPPORTED = { message: 'PersistedQueryNotSupported', code: 'PERSISTED_QUERY_NOT_SUPPORTED' }

/** Whether a request names a document by its hash alone. @param body null: the operation is in the address */
export function namesPersisted(body: Readonly<Record<string, unknown>> | null, { searchParams }: URL): boolean {
  if (body !== null) return !body.query && holdsHash(body.extensions)
  return !searchParams.get('query') && holdsHash(parsed(searchParams.get('extensions')))
}

/** No document is kept by its hash here. With the status of Apollo's server: some clients read no body of another one. */
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
