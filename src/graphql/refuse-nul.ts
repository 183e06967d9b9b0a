import { type ASTVisitor, GraphQLError, type ValidationContext } from 'graphql'

/** The database takes no NUL: written into the document it is refused as it is among the variables (contract.md section 2). */
export const refuseNul = (context: ValidationContext): ASTVisitor => ({
  StringValue: (node) => {
    if (!node.value.includes('\0')) return
    context.reportError(
      new GraphQLError('Send only texts that can be kept as they are: one holds NUL.', { nodes: node }),
    )
  },
})
