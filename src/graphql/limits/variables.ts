import {
  type DocumentNode,
  GraphQLError,
  type GraphQLSchema,
  getOperationAST,
  isInputType,
  type TypeNode,
  typeFromAST,
  validateInputValue,
} from 'graphql'
import { type Detail, invalidRequest, MAX_DETAILS } from '../../errors/service-error.ts'
import { pointerOf } from '../../values/json-pointer.ts'

/** What graphql prints of the variables for all messages together, in characters of JSON: a millisecond or two of work. */
const MAX_PRINTED_CHARACTERS = 200_000

interface Call {
  readonly schema: GraphQLSchema
  readonly document: DocumentNode
  readonly operationName?: string | null | undefined
  readonly variableValues?: unknown
}

/**
 * What does not fit its type in the variables of a valid operation, each with its path; null if all do. graphql would say it, too, but
 * with the whole variable in every message: an answer fifty times the size of the request.
 */
export function variableViolations(call: Call, hideSuggestions: boolean): GraphQLError | null {
  const given = (call.variableValues ?? {}) as Readonly<Record<string, unknown>>
  const details: Detail[] = []
  let most: number | undefined
  for (const { variable, type: node } of getOperationAST(call.document, call.operationName)?.variableDefinitions ??
    []) {
    const name = variable.name.value
    const type = typeFromAST(call.schema, node as TypeNode)
    // What is missing, or null where it may not be, graphql says in a few words of its own.
    if (given[name] == null || !isInputType(type)) continue
    const note = ({ message }: Error, path: readonly (string | number)[]): void => {
      details.push({ path: pointerOf(['variables', name, ...path.map(String)]), message: withoutValue(message) })
      most ??= mostDetails(given)
      if (details.length >= most) throw new Enough()
    }
    try {
      validateInputValue(given[name], type, note, hideSuggestions)
    } catch (error) {
      if (!(error instanceof Enough)) throw error
      break
    }
  }
  if (details.length === 0) return null
  const originalError = invalidRequest('Invalid variables: see `details`.', details)
  return new GraphQLError(originalError.message, { originalError })
}

/** graphql prints the value, or the object around it, anew in every message: in long variables fewer violations are reported. */
const mostDetails = (given: object): number =>
  Math.min(MAX_DETAILS, Math.ceil(MAX_PRINTED_CHARACTERS / JSON.stringify(given).length))

/** What was found instead, the caller has sent itself: it may be long, and comes again in the message of each of its parts. */
const withoutValue = (message: string): string => message.replace(/[,;] found: .*$/s, '.').replace(/ Found: .*$/s, '')

class Enough extends Error {}
