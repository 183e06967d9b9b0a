import {
  type ASTNode,
  type ASTVisitFn,
  type ASTVisitor,
  type FloatValueNode,
  GraphQLError,
  type IntValueNode,
  Kind,
  type ValidationContext,
} from 'graphql'
import { invalidRequest } from '../../errors/service-error.ts'
import { isPrototypeKey } from '../../http/json-body.ts'
import { pointerOf } from '../../values/json-pointer.ts'
import { INVALID, isOutOfRange, UNSAFE_STRING } from '../../values/storable-json.ts'

type Visit = Parameters<ASTVisitFn<ASTNode>>

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
