import {
  type ASTNode,
  type ASTVisitFn,
  type ASTVisitor,
  type DocumentNode,
  type FloatValueNode,
  GraphQLError,
  type GraphQLSchema,
  getOperationAST,
  type IntValueNode,
  isInputType,
  Kind,
  type TypeNode,
  typeFromAST,
  type ValidationContext,
  validateInputValue,
  visit,
} from 'graphql'
import { type Detail, invalidRequest, MAX_DETAILS } from '../../errors/service-error.ts'
import { isPrototypeKey } from '../../http/json-body.ts'
import { INVALID, isOutOfRange, pointerOf, UNSAFE_STRING } from '../../values/json.ts'
import { MAX_VIOLATIONS } from './limits.ts'

const MAX_LITERAL_DEPTH = 16
/** graphql indents every line of a block string at each level of nesting. */
const MAX_INDENTATIONS = 20_000
const FEW_INDENTATIONS = 1000

const indentations = new WeakMap<DocumentNode, number>()
const MAX_PRINTED_CHARACTERS = 200_000

type Visit = Parameters<ASTVisitFn<ASTNode>>

interface Call {
  readonly schema: GraphQLSchema
  readonly document: DocumentNode
  readonly operationName?: string | null | undefined
  readonly variableValues?: unknown
}

export function excessOfLiterals(document: DocumentNode): string | null {
  let [depth, deepest, indented] = [0, 0, 0]
  const nested = {
    enter: (): void => {
      deepest = Math.max(deepest, ++depth)
    },
    leave: (): void => {
      depth--
    },
  }
  visit(document, {
    [Kind.LIST]: nested,
    [Kind.OBJECT]: nested,
    [Kind.STRING]: ({ block, value }) => {
      if (block === true) indented += depth * linesOf(value)
    },
  })
  indentations.set(document, indented)
  if (deepest > MAX_LITERAL_DEPTH) return `Nest values at most ${MAX_LITERAL_DEPTH} deep, or send them as variables.`
  if (indented > MAX_INDENTATIONS) return 'Send texts of so many lines as variables.'
  return null
}

export const violationsOf = (document: DocumentNode): number =>
  (indentations.get(document) ?? 0) > FEW_INDENTATIONS ? 1 : MAX_VIOLATIONS

function linesOf(text: string): number {
  let lines = 1
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) lines++
  return lines
}

/** Rejects literals as variables are rejected: NUL, unpaired surrogates, numbers out of range, prototype keys. */
export function rejectMisreadLiterals(context: ValidationContext): ASTVisitor {
  const report = (error: string, message: string, [node, , parent, path, ancestors]: Visit): void => {
    if (parent === undefined) return
    const pointer = pointerOf(stepsTo(path, [...ancestors, parent, node])) || '/'
    const originalError = invalidRequest(error, [{ path: pointer, message }])
    context.reportError(new GraphQLError(originalError.message, { nodes: node, originalError }))
  }
  const rejectNumber = (...visit: Parameters<ASTVisitFn<IntValueNode | FloatValueNode>>): void => {
    if (isOutOfRange(Number(visit[0].value))) report(INVALID, 'is a number out of range', visit)
  }
  return {
    StringValue: (...visit) => {
      const [{ value }] = visit
      if (value.includes('\0')) report(UNSAFE_STRING, 'holds NUL', visit)
      else if (!value.isWellFormed()) report(UNSAFE_STRING, 'holds an unpaired surrogate', visit)
    },
    IntValue: rejectNumber,
    FloatValue: rejectNumber,
    ObjectField: (...visit) => {
      const [{ name, value }, , , , ancestors] = visit
      const outer = ancestors.at(-2)
      const parentKey = isNode(outer) && outer.kind === Kind.OBJECT_FIELD ? outer.name.value : undefined
      if (isPrototypeKey(name.value, parentKey)) report(INVALID, 'is not allowed as a key', visit)
      else if (value.kind === Kind.VARIABLE && name.value === 'constructor')
        report(INVALID, 'is not allowed as the key of a variable', visit)
    },
  }
}

const stepsTo = (path: readonly (string | number)[], nodes: readonly (ASTNode | readonly ASTNode[])[]): string[] =>
  path.flatMap((step, index) => {
    const [list, container, reached] = [nodes[index - 1], nodes[index], nodes[index + 1]]
    if (isNode(reached) && (reached.kind === Kind.ARGUMENT || reached.kind === Kind.OBJECT_FIELD)) {
      return [reached.name.value]
    }
    return !isNode(container) && isNode(list) && list.kind === Kind.LIST ? [String(step)] : []
  })

const isNode = (part: ASTNode | readonly ASTNode[] | undefined): part is ASTNode =>
  part !== undefined && !Array.isArray(part)

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
