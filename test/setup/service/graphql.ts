import { call } from '../http.ts'

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

/** A test selects this of a mutation's result besides the hoped-for part. */
export const REFUSED = '... on RequestError { code message requestId details { path message } }'

interface Refusal {
  readonly code: string
  readonly message: string
  readonly requestId: string
  readonly details: readonly { readonly path: string; readonly message: string }[]
}

/** A mutation that asks for a refusal, too: `mutation('signOut', '... on SignOutSuccess { sessions }')`. */
export const mutation = (field: string, result: string, variables = ''): string =>
  `mutation ${variables} { ${field} { ${result} ${REFUSED} } }`

/** Why the first mutation of an answer was refused, as its data says. */
export const errorOf = ({ data }: { readonly data?: unknown }): Refusal | undefined => {
  const [first] = Object.values((data ?? {}) as Record<string, Partial<Refusal> | null>)
  return first?.code === undefined ? undefined : (first as Refusal)
}

/** Why a request was refused: as an error of the answer, or as the data of a mutation. */
export const codeOf = (answer: {
  readonly data?: unknown
  readonly errors?: readonly { readonly extensions: { readonly code: string } }[]
}): string | undefined => answer.errors?.[0]?.extensions.code ?? errorOf(answer)?.code
