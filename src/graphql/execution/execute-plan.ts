import {
  defaultTypeResolver,
  type ExecutionArgs,
  type ExecutionResult,
  execute,
  GraphQLError,
  type GraphQLObjectType,
  getArgumentValues,
  getVariableValues,
  isObjectType,
  locatedError,
  responsePathAsArray,
} from 'graphql'
import { infoOf, nameOf, type Path, type Place, pathOf, type Run } from './place.ts'
import { type FieldPlan, planOf, type Shape } from './plan.ts'

type PromiseOrValue<T> = Promise<T> | T
type Fields = Record<string, unknown>

const NO_ARGUMENTS = Object.freeze({})
const MAX_MISTAKES = 50

/**
 * What graphql's own `execute` answers, in a fifth of its time: what the document and the schema say is worked out once for all calls
 * (`plan.ts`), instead of again for every field of every row. Mutations go to graphql itself.
 */
export function executeOperation(call: ExecutionArgs): PromiseOrValue<ExecutionResult> {
  const plan = planOf(call)
  if (plan === null) return execute(call)
  const definitions = plan.operation.variableDefinitions ?? []
  const { coerced, errors } = getVariableValues(call.schema, definitions, call.variableValues ?? {}, {
    maxErrors: MAX_MISTAKES,
  })
  if (errors !== undefined) return { errors }
  const run: Run = { plan, root: call.rootValue, context: call.contextValue, variables: coerced, errors: [] }
  try {
    const data = completeFields(run, plan.fields, call.rootValue, undefined)
    return data instanceof Promise
      ? data.then(
          (fields) => answer(run, fields),
          (error) => failed(run, error),
        )
      : answer(run, data)
  } catch (error) {
    return failed(run, error)
  }
}

const answer = ({ errors }: Run, data: Fields | null): ExecutionResult =>
  errors.length === 0 ? { data } : { errors, data }

function failed(run: Run, error: unknown): ExecutionResult {
  run.errors.push(error as GraphQLError)
  return answer(run, null)
}

function completeFields(run: Run, fields: readonly FieldPlan[], source: unknown, path: Path): PromiseOrValue<Fields> {
  const done: Fields = {}
  const pending: Promise<void>[] = []
  try {
    for (const field of fields) {
      const value = completeField(run, field, source, path)
      done[field.key] = value
      if (!(value instanceof Promise)) continue
      const settled = value.then((known) => {
        done[field.key] = known
      })
      pending.push(settled)
    }
    return pending.length === 0 ? done : Promise.all(pending).then(() => done)
  } catch (error) {
    return whenSettled(pending, error)
  }
}

function completeField(run: Run, field: FieldPlan, source: unknown, prev: Path): unknown {
  const place: Place = { field, prev, key: field.key }
  try {
    const { definition, nodes, resolve } = field
    const args = definition.args.length === 0 ? NO_ARGUMENTS : getArgumentValues(definition, nodes[0], run.variables)
    // Most resolvers look at no more than their row.
    const info = field.wantsInfo ? infoOf(run, place) : (undefined as never)
    return settle(run, place, field.shape, resolve(source, args, run.context, info))
  } catch (error) {
    return refuse(run, place, field.shape, error)
  }
}

/** Completes a value that may come later; what goes wrong with it is null, or all of its parent's violation where it cannot be. */
function settle(run: Run, place: Place, shape: Shape, value: unknown): unknown {
  const completed = isThenable(value)
    ? Promise.resolve(value).then((settled) => complete(run, place, shape, settled))
    : complete(run, place, shape, value)
  return completed instanceof Promise ? completed.catch((error) => refuse(run, place, shape, error)) : completed
}

function refuse(run: Run, { field, prev, key }: Place, { nonNull }: Shape, error: unknown): null {
  const path = responsePathAsArray({ prev, key, typename: undefined })
  const located = locatedError(error, field.nodes, path)
  if (nonNull) throw located
  run.errors.push(located)
  return null
}

function complete(run: Run, place: Place, shape: Shape, value: unknown): unknown {
  if (value instanceof Error) throw value
  if (value === null || value === undefined) {
    if (shape.nonNull) throw new Error(`Cannot return null for non-nullable field ${nameOf(place)}.`)
    return null
  }
  switch (shape.kind) {
    case 'leaf':
      return completeLeaf(place, shape, value)
    case 'list':
      return completeList(run, place, shape.item, value)
    case 'object':
      return completeFields(run, shape.fields, value, pathOf(place))
    case 'abstract':
      return completeAbstract(run, place, shape, value)
  }
}

function completeLeaf(place: Place, { type }: Shape & { kind: 'leaf' }, value: unknown): unknown {
  const serialized = type.serialize(value)
  if (serialized === null || serialized === undefined) {
    throw new Error(`Expected ${type.name} to have a value for ${nameOf(place)}.`)
  }
  return serialized
}

function completeList(run: Run, place: Place, shape: Shape, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !(Symbol.iterator in value)) {
    throw new GraphQLError(`Expected Iterable, but did not find one for field "${nameOf(place)}".`)
  }
  const prev = pathOf(place)
  const pending: Promise<unknown>[] = []
  try {
    const items = Array.from(value as Iterable<unknown>, (item, key) => {
      const completed = completeItem(run, { field: place.field, prev, key }, shape, item)
      if (completed instanceof Promise) pending.push(completed)
      return completed
    })
    return pending.length === 0 ? items : Promise.all(items)
  } catch (error) {
    return whenSettled(pending, error)
  }
}

function completeItem(run: Run, place: Place, shape: Shape, value: unknown): unknown {
  try {
    return settle(run, place, shape, value)
  } catch (error) {
    return refuse(run, place, shape, error)
  }
}

/** Further failures must not become unhandled rejections. */
function whenSettled(pending: readonly Promise<unknown>[], error: unknown): Promise<never> {
  if (pending.length === 0) throw error
  return Promise.allSettled(pending).then(() => Promise.reject(error))
}

function completeAbstract(run: Run, place: Place, shape: Shape & { kind: 'abstract' }, value: unknown): unknown {
  const resolve = shape.type.resolveType ?? defaultTypeResolver
  const name = resolve(value, run.context, infoOf(run, place), shape.type)
  const withType = (known: string | undefined) =>
    completeFields(run, shape.fieldsOf(runtimeType(run, place, shape, known)), value, pathOf(place))
  return typeof name === 'string' || name === undefined ? withType(name) : name.then(withType)
}

function runtimeType(
  { plan: { schema } }: Run,
  place: Place,
  { type }: Shape & { kind: 'abstract' },
  name: string | undefined,
): GraphQLObjectType {
  const found = typeof name === 'string' ? schema.getType(name) : undefined
  if (isObjectType(found) && schema.isSubType(type, found)) return found
  throw new GraphQLError(
    `"${type.name}" must resolve to one of its types for field "${nameOf(place)}", not to "${name}".`,
  )
}

const isThenable = (value: unknown): value is PromiseLike<never> =>
  typeof value === 'object' && value !== null && typeof (value as { then?: unknown }).then === 'function'
