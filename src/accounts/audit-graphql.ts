import { AUDITED_ACTIONS, type AuditedAction } from '../audit/audited-actions.ts'
import { builder } from '../graphql/builder.ts'
import { addNodeSource, NodeInterface } from '../graphql/node.ts'
import { connectionOf, pagedBy, queryOf } from '../graphql/resolved-by.ts'
import { describedEnum, TimeRangeInput } from '../graphql/scalars.ts'
import {
  type ActorView,
  AUDIT_VIEW,
  type AuditEntriesInput,
  type AuditEntry,
  auditActor,
  auditEntries,
  auditId,
  findAuditEntry,
} from './audit-entries.ts'

const ActorKindEnum = describedEnum<ActorView['kind']>('ActorKind', 'What kind of caller it was.', {
  key: 'An API key.',
  user: 'A user who was signed in.',
  operator: 'The operator, at the command line or from another account.',
})

export const ActorRef = builder.objectRef<ActorView>('Actor').implement({
  description: 'The caller that did something.',
  fields: (t) => ({
    kind: t.field({ type: ActorKindEnum, description: 'What kind of caller.', resolve: ({ kind }) => kind }),
    id: t.id({
      nullable: true,
      description: 'Its own for each thing that was done, as names are those of then. Null for the operator.',
      resolve: ({ of, callerId }) => (callerId === null ? null : `by_${of}`),
    }),
    callerId: t.exposeID('callerId', { nullable: true, description: 'The key id or user id. Null for the operator.' }),
    name: t.exposeString('name', {
      nullable: true,
      description: "A key's name, null once it is deleted, or a user's e-mail address.",
    }),
  }),
})

const AuditedActionEnum = describedEnum<AuditedAction>('AuditedAction', 'What was done.', AUDITED_ACTIONS)

const AuditEntryRef = builder.prismaObject('AuditEntry', {
  description: 'A change that an operator or an owner made. It holds no secret and no text.',
  interfaces: [NodeInterface],
  select: AUDIT_VIEW,
  fields: (t) => ({
    id: t.id({ description: '`audit_…`.', resolve: auditId }),
    action: t.field({
      type: AuditedActionEnum,
      description: 'What was done.',
      resolve: ({ action }) => action as AuditedAction,
    }),
    accountId: t.exposeID('accountId', {
      nullable: true,
      description: 'The account that it concerns; null: the whole installation.',
    }),
    subjectId: t.exposeID('subjectId', { nullable: true, description: 'The key, user, job or slug that was changed.' }),
    subjectName: t.exposeString('subjectName', { nullable: true, description: 'What it was called then.' }),
    detail: t.exposeString('detail', { nullable: true, description: 'See the action.' }),
    by: t.field({
      type: ActorRef,
      description: 'The caller, by its name at that time.',
      resolve: (entry, _args, ctx) => auditActor(ctx, entry),
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When.' }),
  }),
})

addNodeSource<AuditEntry>('audit', {
  typeOf: () => 'AuditEntry',
  load: (ctx, id, info) => findAuditEntry(ctx, id, queryOf(ctx, info, 'AuditEntry')),
})

builder.queryField('auditEntries', (t) =>
  t.connection(
    {
      type: AuditEntryRef,
      description:
        'What was changed in an account and by which caller, newest first. Needs the scope account:admin, or a signed-in owner; of other accounts the scope operator.',
      args: {
        account: t.arg.id({ description: "Id or name; the caller's own unless given." }),
        all: t.arg.boolean({ description: 'Of all accounts and of the installation. Not with an account.' }),
        actions: t.arg({ type: [AuditedActionEnum], description: 'Only these.' }),
        createdAt: t.arg({ type: TimeRangeInput, description: 'Only of this range.' }),
      },
      ...pagedBy('AuditEntry', auditEntries, (args: AuditEntriesInput) => args),
    },
    ...connectionOf('AuditEntry', 'changes'),
  ),
)
