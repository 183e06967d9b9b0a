import { requireAccount, requireScope } from '../../access/require.ts'
import { JOB_READ_SCOPE } from '../../access/scopes.ts'
import { BatchLoader } from '../../concurrency/batch-loader.ts'
import { builder, type GraphqlContext } from '../../graphql/builder.ts'
import { addNodeSource, NodeInterface } from '../../graphql/node.ts'
import { queryOf } from '../../graphql/query-of.ts'
import { ARTIFACT_VIEW, type Artifact, findArtifact, loadArtifacts } from '../job-parts.ts'

export const artifacts = new BatchLoader<GraphqlContext, Artifact[]>((ctx, jobIds) =>
  loadArtifacts(ctx.db.pool, jobIds),
)

export const ArtifactRef = builder.prismaObject('Artifact', {
  description: 'One output of a job.',
  interfaces: [NodeInterface],
  select: ARTIFACT_VIEW,
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Its id.' }),
    jobId: t.exposeID('jobId', { description: 'The job that made it.' }),
    output: t.exposeString('output', { description: 'Its name among the outputs: `audio`.' }),
    contentType: t.exposeString('contentType', { description: 'Its media type.' }),
    bytes: t.float({ description: 'Its size: a whole number.', resolve: ({ bytes }) => Number(bytes) }),
    sha256: t.string({
      description: 'The SHA-256 of its bytes in hexadecimal digits.',
      resolve: ({ sha256 }) => Buffer.from(sha256).toString('hex'),
    }),
    durationMs: t.exposeInt('durationMs', {
      nullable: true,
      description: 'How long it plays; null unless it is audio.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was stored.' }),
    deletedAt: t.expose('deletedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When its bytes were deleted: its URL answers 410. Null while they are there.',
    }),
    url: t.field({
      type: 'URL',
      description: 'A signed URL of its bytes; signed at this read, valid for 15 minutes.',
      resolve: ({ storageKey, contentType, deletedAt }, _args, ctx) =>
        ctx.storage.signUrl(storageKey, { contentType, now: ctx.now(), isDeleted: deletedAt !== null }),
    }),
  }),
})

addNodeSource<Artifact>('art', {
  typeOf: () => 'Artifact',
  load: (ctx, id, info) => {
    requireScope(ctx, JOB_READ_SCOPE)
    return findArtifact(ctx.db, requireAccount(ctx).accountId, id, queryOf(ctx, info, 'Artifact'))
  },
})
