import {
  type ExecutionArgs,
  type ExecutionResult,
  GraphQLError,
  getOperationAST,
  Kind,
  type SelectionSetNode,
} from 'graphql'
import { toServiceError } from '../../errors/describe-error.ts'
import { secondsSince, type Telemetry } from '../../telemetry/telemetry.ts'
import type { GraphqlContext } from '../builder.ts'
import { fragmentsOf } from './limits.ts'

const OTHER = 'other'

export async function measureOperation(
  call: ExecutionArgs,
  execute: (call: ExecutionArgs) => Promise<ExecutionResult> | ExecutionResult,
): Promise<ExecutionResult> {
  const { telemetry } = call.contextValue as GraphqlContext
  const begun = performance.now()
  const result = await execute(call)
  if (!('data' in result)) return result
  const labels = { root_field: rootFieldOf(call), outcome: outcomeOf(result) }
  telemetry.observe('graphql_operation_duration_seconds', labels, secondsSince(begun))
  return result
}

export const noteRejected = (telemetry: Telemetry): void =>
  telemetry.observe('graphql_operation_duration_seconds', { root_field: OTHER, outcome: 'INVALID_REQUEST' }, 0)

function rootFieldOf({ document, operationName }: ExecutionArgs): string {
  const fragments = fragmentsOf(document)
  let selections: SelectionSetNode | undefined = getOperationAST(document, operationName)?.selectionSet
  for (;;) {
    const [first]: SelectionSetNode['selections'] = selections?.selections ?? []
    if (first === undefined) return OTHER
    if (first.kind === Kind.FIELD) return first.name.value
    selections =
      first.kind === Kind.INLINE_FRAGMENT ? first.selectionSet : fragments.get(first.name.value)?.selectionSet
  }
}

function outcomeOf({ errors }: ExecutionResult): string {
  const [error] = errors ?? []
  if (error === undefined) return 'ok'
  const { originalError } = error
  return originalError == null || originalError instanceof GraphQLError
    ? 'INVALID_REQUEST'
    : toServiceError(originalError).code
}
