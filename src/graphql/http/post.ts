import {
  type DocumentNode,
  type ExecutionResult,
  type GraphQLSchema,
  getOperationAST,
  OperationTypeNode,
} from 'graphql'
import type { YogaServerInstance } from 'graphql-yoga'
import { BoundedCache } from '../../concurrency/bounded-cache.ts'
import { JSON_TYPE } from '../../errors/describe-error.ts'
import type { GraphqlContext } from '../builder.ts'
import { executeInTime } from '../limits/deadline.ts'
import { limitError } from '../limits/limit-plugin.ts'
import { maskResult } from './masking.ts'

type Body = Readonly<Record<string, unknown>>

interface Params {
  readonly query: string
  readonly variables: Record<string, unknown> | null | undefined
  readonly operationName: string | null | undefined
}

interface PostAnswer {
  readonly contentType: string
  readonly result: ExecutionResult
}

const LONGEST_KNOWN_CHARACTERS = 10_000
const CONTENT_TYPES: Readonly<Record<string, string>> = {
  'application/json': JSON_TYPE,
  'application/graphql-response+json': 'application/graphql-response+json; charset=utf-8',
}
export const AS_POST = { method: 'POST' }
const PARAMETERS: ReadonlySet<string> = new Set(['query', 'variables', 'operationName', 'extensions'])

/**
 * Answers ordinary queries and mutations without Yoga's Request and Response. Yoga's plugins parse and validate all the same.
 * @returns null if Yoga has to answer
 */
export function createPost(yoga: YogaServerInstance<GraphqlContext, object>, schema: GraphQLSchema) {
  const valid = { anonymous: new BoundedCache<DocumentNode>(), caller: new BoundedCache<DocumentNode>() }
  const documentOf = (context: GraphqlContext, params: Params): DocumentNode | null => {
    const cache = context.actor.kind === 'anonymous' ? valid.anonymous : valid.caller
    const known = cache.get(params.query)
    if (known !== undefined) return known
    const document = validated(yoga, context, params)
    if (document !== null && params.query.length <= LONGEST_KNOWN_CHARACTERS) cache.set(params.query, document)
    return document
  }
  return async (context: GraphqlContext, body: Body, accepted: string): Promise<PostAnswer | null> => {
    const contentType = CONTENT_TYPES[accepted]
    const params = toParams(body)
    const document = contentType === undefined || params === null ? null : documentOf(context, params)
    if (contentType === undefined || params === null || document === null) return null
    const operation = getOperationAST(document, params.operationName)?.operation
    if (operation === undefined || operation === OperationTypeNode.SUBSCRIPTION) return null
    const call = {
      schema,
      document,
      operationName: params.operationName,
      variableValues: params.variables,
      contextValue: context,
    }
    if (limitError(call) !== null) return null
    const result = await executeInTime(call)
    return 'data' in result ? { contentType, result: maskResult(result, context.log, context.requestId) } : null
  }
}

function toParams(body: Body): Params | null {
  for (const name of Object.keys(body)) if (!PARAMETERS.has(name)) return null
  const { query, variables, operationName, extensions } = body
  const isOrdinary =
    typeof query === 'string' &&
    isObjectOrNone(variables) &&
    isObjectOrNone(extensions) &&
    (operationName == null || typeof operationName === 'string')
  return isOrdinary ? ({ query, variables, operationName } as Params) : null
}

const isObjectOrNone = (value: unknown): boolean =>
  value == null || (typeof value === 'object' && !Array.isArray(value))

function validated(
  yoga: YogaServerInstance<GraphqlContext, object>,
  context: GraphqlContext,
  params: Params,
): DocumentNode | null {
  const { schema, parse, validate } = yoga.getEnveloped({ ...context, params, request: AS_POST })
  try {
    const document: DocumentNode = parse(params.query)
    return validate(schema, document).length === 0 ? document : null
  } catch {
    return null
  }
}
