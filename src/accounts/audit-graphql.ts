import { AUDITED_ACTIONS, type AuditedAction } from '../audit/audited-actions.ts'
import { builder } from '../graphql/builder.ts'
import { connectionOf } from '../graphql/connection.ts'
import { describedEnum } from '../graphql/described-enum.ts'
import { addNodeSource, NodeInterface } from '../graphql/node.ts'
import { queryOf } from '../graphql/query-of.ts'
import { pagedBy } from '../graphql/resolved-by.ts'
import { TimeRangeInput } from '../graphql/time-range.ts'
import { ActorRef } from './actor-graphql.ts'
import {
  AUDIT_VIEW,
  type AuditEntriesInput,
  type AuditEntry,
  auditActor,
  auditEntries,
  auditId,
  findAuditEntry,
} from './audit-entries.ts'

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
