import { AUDITED_ACTIONS, type AuditedAction } from '../audit/audited-actions.ts'
import { builder } from '../graphql/builder.ts'
import { addNodeSource, NodeInterface } from '../graphql/node.ts'
import { connectionOf, loadedBy, NONE_OR_UNSEEN, pagedBy, queryOf } from '../graphql/resolved-by.ts'
import { describedEnum, TimeRangeInput } from '../graphql/scalars.ts'
import { AccountRef } from './account-graphql.ts'
import { loadAccounts } from './accounts.ts'
import {
  type ActorView,
  AUDIT_VIEW,
  type AuditEntriesInput,
  type AuditEntry,
  auditActor,
  auditEntries,
  auditId,
  findAuditEntries,
} from './audit-entries.ts'

const ActorKindEnum = describedEnum<ActorView['kind']>('ActorKind', 'Kind of a caller.', {
  key: 'An API key.',
  user: 'A signed-in user.',
  operator: 'The operator, at the command line or from another account.',
})

export const ActorRef = builder.objectRef<ActorView>('Actor').implement({
  description: 'Caller that did something.',
  fields: (t) => ({
    kind: t.field({ type: ActorKindEnum, description: 'Kind of the caller.', resolve: ({ kind }) => kind }),
    id: t.id({
      nullable: true,
      deprecationReason: 'Use `callerId`, which is the id of the key or user.',
      description:
        "Id of this entry's caller, different for each entry: a cache keeps each with the name of its time. Null for the operator.",
      resolve: ({ of, callerId }) => (callerId === null ? null : `by_${of}`),
    }),
    callerId: t.exposeID('callerId', {
      nullable: true,
      description: 'Id of the API key or user; null for the operator.',
    }),
    name: t.exposeString('name', {
      nullable: true,
      description: 'Name of the API key, null once it is deleted, or e-mail address of the user.',
    }),
  }),
})

const AuditedActionEnum = describedEnum<AuditedAction>('AuditedAction', 'Kind of a change.', AUDITED_ACTIONS)

const AuditEntryRef = builder.prismaObject('AuditEntry', {
  description: 'Change that an operator or an owner made. It holds no secret and no text.',
  interfaces: [NodeInterface],
  select: AUDIT_VIEW,
  fields: (t) => ({
    id: t.id({ description: 'Id of the change: `audit_…`.', resolve: auditId }),
    action: t.field({
      type: AuditedActionEnum,
      description: 'Kind of the change.',
      resolve: ({ action }) => action as AuditedAction,
    }),
    accountId: t.exposeID('accountId', {
      nullable: true,
      description: 'Id of the account that the change concerns; null if it concerns the whole installation.',
    }),
    subjectId: t.exposeID('subjectId', {
      nullable: true,
      description: 'Id or slug of what was changed: a key, a user, a job, an endpoint.',
    }),
    subjectName: t.exposeString('subjectName', {
      nullable: true,
      description: 'Name of what was changed, at the time of the change.',
    }),
    detail: t.exposeString('detail', {
      nullable: true,
      description: 'Detail of the change, as the action describes it.',
    }),
    account: t.prismaField({
      description: `Account that the change concerns. ${NONE_OR_UNSEEN}`,
      ...loadedBy(AccountRef, loadAccounts, ({ accountId }: AuditEntry) => accountId),
    }),
    by: t.field({
      type: ActorRef,
      description: 'Caller that made the change, by its name at that time.',
      resolve: (entry, _args, ctx) => auditActor(ctx, entry),
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'Time of the change.' }),
  }),
})

addNodeSource<AuditEntry>('audit', {
  typeOf: () => 'AuditEntry',
  idOf: auditId,
  load: (ctx, ids, info) => findAuditEntries(ctx, ids, queryOf(ctx, info, 'AuditEntry')),
})

builder.queryField('auditEntries', (t) =>
  t.connection(
    {
      type: AuditEntryRef,
      description:
        'Changes of an account and the callers that made them, newest first. Needs the scope account:admin, or a signed-in owner; for other accounts the scope operator.',
      args: {
        account: t.arg.id({ description: "Id or name of an account; the caller's own unless given." }),
        all: t.arg.boolean({
          description: 'True for the changes of all accounts and of the installation. Not together with `account`.',
        }),
        actions: t.arg({ type: [AuditedActionEnum], description: 'Kinds of the changes; all of them unless given.' }),
        createdAt: t.arg({ type: TimeRangeInput, description: 'Range of time of the changes; any time unless given.' }),
      },
      ...pagedBy('AuditEntry', auditEntries, (args: AuditEntriesInput) => args),
    },
    ...connectionOf('AuditEntry', 'changes'),
  ),
)
