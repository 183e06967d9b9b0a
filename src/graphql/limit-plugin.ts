import { GraphQLError, NoSchemaIntrospectionCustomRule } from 'graphql'
import type { Plugin } from 'graphql-yoga'
import type { Runtime } from '../runtime.ts'
import type { GraphqlContext } from './builder.ts'
import { excessiveCost } from './cost.ts'
import { excessOf, MAX_TOKENS, tooDeep } from './limits.ts'
import { refuseNul } from './refuse-nul.ts'

/**
 * The limits of every operation, whatever it came over: WebSocket and SSE parse, validate and execute through the same plugins. Tokens
 * are counted while parsing, the rest before any other rule looks at the document. Strangers get no introspection and no hints.
 */
export const limits = (runtime: Pick<Runtime, 'settings'>): Plugin<GraphqlContext> => ({
  onParse: ({ params, setParseFn, parseFn }) =>
    setParseFn((source) => parseFn(source, { ...params.options, maxTokens: MAX_TOKENS })),
  onValidate: ({ context, addValidationRule, params, setResult }) => {
    const excess = excessOf(params.documentAST)
    if (excess !== null) return setResult([new GraphQLError(excess)])
    addValidationRule(refuseNul)
    const stranger = context.actor.kind === 'anonymous'
    if (stranger && !runtime.settings.development) addValidationRule(NoSchemaIntrospectionCustomRule)
    return ({ result, setResult: replace }) => {
      if (!stranger || !Array.isArray(result)) return
      replace(result.map(withoutHint))
    }
  },
  onExecute: ({ args, setResultAndStopExecution }) => {
    const message = excessOfCall(args)
    if (message !== null) setResultAndStopExecution({ errors: [new GraphQLError(message)] })
  },
  onSubscribe: ({ args, setResultAndStopExecution }) => {
    const message = excessOfCall(args)
    if (message !== null) setResultAndStopExecution({ errors: [new GraphQLError(message)] })
  },
})

type Call = Parameters<typeof excessiveCost>[0]

const excessOfCall = (args: Call): string | null =>
  tooDeep(args.variableValues) ? 'Nest variables less deeply.' : excessiveCost(args)

const withoutHint = (error: GraphQLError): GraphQLError =>
  Object.assign(error, { message: error.message.replace(/ Did you mean .*\?$/s, '') })
