import {
  type ASTVisitor,
  type DocumentNode,
  type ExecutionResult,
  GraphQLError,
  getOperationAST,
  Kind,
  OperationTypeNode,
  SchemaMetaFieldDef,
  type SelectionSetNode,
  TypeMetaFieldDef,
  type ValidationContext,
  validate,
} from 'graphql'
import type { Plugin, YogaInitialContext } from 'graphql-yoga'
import { shortenedMessage } from '../../errors/service-error.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import type { GraphqlContext } from '../builder.ts'
import { isStream } from '../http/errors.ts'
import { excessiveCost, type OperationCost, operationCost } from './cost.ts'
import {
  excessOf,
  excessOfVariables,
  type Fragments,
  fragmentsOf,
  MAX_DOCUMENT_CHARACTERS,
  MAX_LINES,
  MAX_TOKENS,
} from './limits.ts'
import { excessOfLiterals, rejectMisreadLiterals, variableViolations, violationsOf } from './literals.ts'

const MAX_ANONYMOUS_OVERLAPS = 2000
const SPREADS = '...'
const META_FIELDS: ReadonlySet<string> = new Set([SchemaMetaFieldDef.name, TypeMetaFieldDef.name])

interface Group {
  size: number
  readonly sets: SelectionSetNode[]
}

interface ParseLimits {
  readonly maxTokens: number
  readonly noLocation: boolean
}

/** Limits every operation over every transport. Tokens are counted while parsing; anonymous callers get no introspection and no hints. */
export const limits = (runtime: Pick<Runtime, 'settings'>): Plugin<GraphqlContext> => ({
  onParse: ({ params, setParseFn, parseFn }) => {
    setParseFn((source) => parseWithin((options) => parseFn(source, { ...params.options, ...options }), String(source)))
    return ({ result, context }) => rejectSubscriptionByGet(result, context)
  },
  onValidate: ({ context, addValidationRule, params, setResult, setValidationFn }) => {
    const anonymous = isAnonymous(context)
    const excess = excessIn(params.documentAST, anonymous)
    if (excess !== null) return setResult([new GraphQLError(excess)])
    addValidationRule(rejectMisreadLiterals)
    // Yoga caches validation for each set of rules, so anonymous callers need a set of their own.
    const hideSuggestions = anonymous && !runtime.settings.development
    if (hideSuggestions) addValidationRule(rejectIntrospection)
    setValidationFn((schema, document, rules) =>
      validate(schema, document, rules, { maxErrors: violationsOf(document), hideSuggestions }).map(shortenedError),
    )
    return ({ result, setResult: replace }) => {
      if (!anonymous || !Array.isArray(result)) return
      replace(result.map(withoutHint))
    }
  },
  onExecute: ({ args, setResultAndStopExecution }) => {
    const error = limitError(args)
    const cost = args.contextValue.showsCost ? operationCost(args) : null
    if (error !== null) return setResultAndStopExecution(withCost({ errors: [error] }, cost))
    if (cost === null) return
    return {
      onExecuteDone: ({ result, setResult }) => {
        if (!isStream(result)) setResult(withCost(result, cost))
      },
    }
  },
})

const withCost = (result: ExecutionResult, cost: OperationCost | null): ExecutionResult =>
  cost === null ? result : { ...result, extensions: { ...result.extensions, cost } }

/** A page of another site could open it with the reader's cookie. */
function rejectSubscriptionByGet(document: DocumentNode | Error | null, context: Partial<YogaInitialContext>): void {
  if (context.request?.method !== 'GET' || document === null || document instanceof Error) return
  const operation = getOperationAST(document, context.params?.operationName)?.operation
  if (operation !== OperationTypeNode.SUBSCRIPTION) return
  const http = { status: 405, headers: { Allow: 'POST' } }
  throw new GraphQLError('Send a subscription as a POST request, or over a WebSocket.', { extensions: { http } })
}

/** Yoga caches parsed documents, so each is walked once for callers with a key and once for anonymous ones. */
const known = {
  anonymous: new WeakMap<DocumentNode, string | null>(),
  caller: new WeakMap<DocumentNode, string | null>(),
}

function excessIn(document: DocumentNode, anonymous: boolean): string | null {
  const excesses = anonymous ? known.anonymous : known.caller
  let excess = excesses.get(document)
  if (excess === undefined) {
    excess = excessOf(document) ?? excessOfLiterals(document) ?? (anonymous ? excessOfOverlaps(document) : null)
    excesses.set(document, excess)
  }
  return excess
}

/** The error is cached with the document, so it must not quote long values. */
function shortenedError(error: GraphQLError): GraphQLError {
  const { message, nodes, source, positions, originalError, extensions } = error
  const short = shortenedMessage(message)
  if (short === message) return error
  return new GraphQLError(Buffer.from(short).toString(), { nodes, source, positions, originalError, extensions })
}

type Call = Parameters<typeof excessiveCost>[0] & { readonly contextValue?: unknown }

export function limitError(args: Call): GraphQLError | null {
  const excess = excessOfVariables(args.variableValues) ?? excessiveCost(args)
  return excess === null
    ? variableViolations(args, isAnonymous(args.contextValue as GraphqlContext))
    : new GraphQLError(excess)
}

const isAnonymous = ({ actor }: Pick<GraphqlContext, 'actor'>): boolean => actor.kind === 'anonymous'

const withoutHint = ({ message, nodes, source, positions }: GraphQLError): GraphQLError =>
  new GraphQLError(message.replace(/ Did you mean .*\?$/s, ''), { nodes, source, positions })

/** Returns a message if a document selects the same again and again, because graphql compares each pair of fields and fragments. Call it after excessOf. */
export function excessOfOverlaps(document: DocumentNode): string | null {
  const fragments = fragmentsOf(document)
  let pairs = 0
  for (const definition of document.definitions) {
    if ('selectionSet' in definition) pairs += pairsIn([definition.selectionSet], fragments)
  }
  return pairs > MAX_ANONYMOUS_OVERLAPS ? 'Select the same field less often, or send an API key.' : null
}

function pairsIn(sets: readonly SelectionSetNode[], fragments: Fragments): number {
  const groups = new Map<string, Group>()
  for (const set of sets) collect(set, fragments, groups)
  let pairs = 0
  for (const { size, sets: inner } of groups.values()) {
    pairs += (size * (size - 1)) / 2
    if (inner.length > 0) pairs += pairsIn(inner, fragments)
  }
  return pairs
}

function collect(set: SelectionSetNode, fragments: Fragments, groups: Map<string, Group>): void {
  for (const selection of set.selections) {
    if (selection.kind === Kind.INLINE_FRAGMENT) {
      collect(selection.selectionSet, fragments, groups)
    } else if (selection.kind === Kind.FIELD) {
      count(groups, (selection.alias ?? selection.name).value, selection.selectionSet)
    } else {
      count(groups, SPREADS)
      const fragment = fragments.get(selection.name.value)
      if (fragment !== undefined) collect(fragment.selectionSet, fragments, groups)
    }
  }
}

function count(groups: Map<string, Group>, name: string, inner?: SelectionSetNode): void {
  const group = groups.get(name) ?? { size: 0, sets: [] }
  group.size += 1
  if (inner !== undefined) group.sets.push(inner)
  groups.set(name, group)
}

/** A document with too many lines gets violations without locations, because graphql counts lines anew for each. @throws GraphQLError */
function parseWithin(parse: (limits: ParseLimits) => DocumentNode, text: string): DocumentNode {
  if (text.length > MAX_DOCUMENT_CHARACTERS) {
    throw new GraphQLError(
      `Send a document of at most ${MAX_DOCUMENT_CHARACTERS} characters, and long texts as variables.`,
    )
  }
  const noLocation = hasTooManyLines(text)
  try {
    return parse({ maxTokens: MAX_TOKENS, noLocation })
  } catch (error) {
    throw noLocation && error instanceof GraphQLError ? new GraphQLError(error.message) : error
  }
}

function hasTooManyLines(text: string): boolean {
  let lines = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if ((code === 10 || code === 13) && ++lines > MAX_LINES) return true
  }
  return false
}

/** graphql's own rule would report each field below as well. */
const rejectIntrospection = (context: ValidationContext): ASTVisitor => ({
  Field: (node) => {
    if (!META_FIELDS.has(node.name.value)) return
    const message =
      'Send an API key, or sign in, to use introspection: unauthenticated requests can only query the catalog.'
    context.reportError(new GraphQLError(message, { nodes: node }))
  },
})
