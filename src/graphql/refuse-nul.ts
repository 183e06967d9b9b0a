import { type ASTNode, type ASTVisitor, GraphQLError, Kind, type ValidationContext } from 'graphql'
import { invalidRequest } from '../errors.ts'
import { pointerOf } from '../json-pointer.ts'
import { UNSAFE_STRING } from '../storable.ts'

/** The database takes no NUL: written into the document it is refused as it is among the variables (contract.md section 2). */
export const refuseNul = (context: ValidationContext): ASTVisitor => ({
  StringValue: (node, _key, parent, path, ancestors) => {
    if (!node.value.includes('\0') || parent === undefined) return
    const originalError = invalidRequest(UNSAFE_STRING, [
      { path: pointerOf(placeOf(path, [...ancestors, parent, node])) || '/', message: 'holds NUL' },
    ])
    context.reportError(new GraphQLError(originalError.message, { nodes: node, originalError }))
  },
})

/** The argument, and the fields and places within it, that a value stands in. @param nodes what each step of the path leads to */
const placeOf = (path: readonly (string | number)[], nodes: readonly (ASTNode | readonly ASTNode[])[]): string[] =>
  path.flatMap((step, index) => {
    const [list, container, reached] = [nodes[index - 1], nodes[index], nodes[index + 1]]
    if (isNode(reached) && (reached.kind === Kind.ARGUMENT || reached.kind === Kind.OBJECT_FIELD)) {
      return [reached.name.value]
    }
    return !isNode(container) && isNode(list) && list.kind === Kind.LIST ? [String(step)] : []
  })

const isNode = (part: ASTNode | readonly ASTNode[] | undefined): part is ASTNode =>
  part !== undefined && !Array.isArray(part)
