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

const MAX_PRINTED_CHARACTERS = 200_000

interface Call {
  readonly schema: GraphQLSchema
  readonly document: DocumentNode
  readonly operationName?: string | null | undefined
  readonly variableValues?: unknown
}

/** Lists what does not fit its type. graphql would print the whole variable in every message. */
export function variableViolations(call: Call, hideSuggestions: boolean): GraphQLError | null {
  const given = (call.variableValues ?? {}) as Readonly<Record<string, unknown>>
  const details: Detail[] = []
  let most: number | undefined
  for (const { variable, type: node } of getOperationAST(call.document, call.operationName)?.variableDefinitions ??
    []) {
    const name = variable.name.value
    const type = typeFromAST(call.schema, node as TypeNode)
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

/** graphql prints the value anew in every message, so long variables get fewer violations. */
const mostDetails = (given: object): number =>
  Math.min(MAX_DETAILS, Math.ceil(MAX_PRINTED_CHARACTERS / JSON.stringify(given).length))

const withoutValue = (message: string): string => message.replace(/[,;] found: .*$/s, '.').replace(/ Found: .*$/s, '')

class Enough extends Error {}
