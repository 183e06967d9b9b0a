import { call } from './service.ts'

export interface GraphqlError {
  readonly message: string
  readonly path?: readonly (string | number)[]
  readonly extensions: { readonly code: string; readonly requestId: string; readonly details?: { path: string }[] }
}

export interface GraphqlAnswer<T> {
  readonly data: T | null
  readonly errors?: readonly GraphqlError[]
}

/** Asks /graphql; whatever comes back, errors included. */
export async function ask<T = Record<string, unknown>>(
  url: string,
  key: string | null,
  query: string,
  variables: object = {},
): Promise<GraphqlAnswer<T>> {
  const reply = await call(`${url}/graphql`, {
    method: 'POST',
    ...(key !== null && { key }),
    body: { query, variables },
  })
  return reply.json<GraphqlAnswer<T>>()
}

/** Asks /graphql for what must be there. Throws with the first error. */
export async function read<T>(url: string, key: string | null, query: string, variables: object = {}): Promise<T> {
  const { data, errors } = await ask<T>(url, key, query, variables)
  if (errors !== undefined || data === null) throw new Error(`GraphQL answered: ${JSON.stringify(errors)}`)
  return data
}

export const codeOf = ({ errors }: GraphqlAnswer<unknown>): string | undefined => errors?.[0]?.extensions.code
