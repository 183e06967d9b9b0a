import SchemaBuilder, {
  BasePlugin,
  type FieldNullability,
  type InputFieldMap,
  type PothosOutputFieldConfig,
  type SchemaTypes,
  type TypeParam,
} from '@pothos/core'
import type { GraphQLFieldResolver } from 'graphql'

type SeenBy<Types extends SchemaTypes, Parent> = (ctx: Types['Context'], parent: Parent) => boolean

declare global {
  export namespace PothosSchemaTypes {
    export interface Plugins<Types extends SchemaTypes> {
      seenBy: SeenByPlugin<Types>
    }

    export interface FieldOptions<
      Types extends SchemaTypes = SchemaTypes,
      ParentShape = unknown,
      Type extends TypeParam<Types> = TypeParam<Types>,
      Nullable extends FieldNullability<Type> = FieldNullability<Type>,
      Args extends InputFieldMap = InputFieldMap,
      ResolveShape = unknown,
      ResolveReturnShape = unknown,
    > {
      /** Says if the caller may see the object at the other end. Otherwise the field is null, and no error empties the page. */
      seenBy?: SeenBy<Types, ParentShape>
    }
  }
}

class SeenByPlugin<Types extends SchemaTypes> extends BasePlugin<Types> {
  override wrapResolve(
    resolve: GraphQLFieldResolver<unknown, Types['Context'], object>,
    { pothosOptions }: PothosOutputFieldConfig<Types>,
  ): GraphQLFieldResolver<unknown, Types['Context'], object> {
    const { seenBy } = pothosOptions as { seenBy?: SeenBy<Types, unknown> }
    if (seenBy === undefined) return resolve
    return (parent, args, ctx, info) => (seenBy(ctx, parent) ? resolve(parent, args, ctx, info) : null)
  }
}

/** Marks a field whose answer depends on the caller, not on its account and scopes alone. */
export const OF_CALLER = 'ofCaller'

export const SEEN_BY = 'seenBy'
SchemaBuilder.registerPlugin(SEEN_BY, SeenByPlugin)
