import { type ASTVisitor, GraphQLError, SchemaMetaFieldDef, TypeMetaFieldDef, type ValidationContext } from 'graphql'

const META_FIELDS: ReadonlySet<string> = new Set([SchemaMetaFieldDef.name, TypeMetaFieldDef.name])

/** graphql's own rule would report each field below as well. */
export const rejectIntrospection = (context: ValidationContext): ASTVisitor => ({
  Field: (node) => {
    if (!META_FIELDS.has(node.name.value)) return
    const message =
      'Send an API key, or sign in, to use introspection: unauthenticated requests can only query the catalog.'
    context.reportError(new GraphQLError(message, { nodes: node }))
  },
})
