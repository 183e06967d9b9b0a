import { type DocumentNode, GraphQLError, getOperationAST, OperationTypeNode, validate } from 'graphql'
import type { Plugin, YogaInitialContext } from 'graphql-yoga'
import { shortenedMessage } from '../../errors/service-error.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import type { GraphqlContext } from '../builder.ts'
import { excessiveCost } from './cost.ts'
import { excessOf, excessOfVariables } from './limits.ts'
import { excessOfLiterals, violationsOf } from './literals.ts'
import { excessOfOverlaps } from './overlaps.ts'
import { parseWithin } from './parse-within.ts'
import { rejectIntrospection } from './reject-introspection.ts'
import { rejectMisreadLiterals } from './reject-misread-literals.ts'
import { variableViolations } from './variables.ts'

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
    if (error !== null) setResultAndStopExecution({ errors: [error] })
  },
})

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
