import { ActorRef } from '../../accounts/actor-graphql.ts'
import type { ActorView } from '../../accounts/actor-view.ts'
import { BatchLoader } from '../../concurrency/batch-loader.ts'
import { builder, type GraphqlContext } from '../../graphql/builder.ts'
import { emailsById } from '../../users/users.ts'
import type { Job } from '../job-shape.ts'
import { JobInterface } from './job-interface-graphql.ts'

const addresses = new BatchLoader<GraphqlContext, string>(emailsById)

async function submittedBy(ctx: GraphqlContext, job: Job): Promise<ActorView | null> {
  if (!('accountId' in ctx.actor) || ctx.actor.accountId !== job.accountId) return null
  if (job.apiKeyId !== null) return { kind: 'key', of: job.id, callerId: job.apiKeyId, name: job.apiKeyName }
  if (job.userId === null) return null
  return { kind: 'user', of: job.id, callerId: job.userId, name: (await addresses.load(ctx, job.userId)) ?? null }
}

builder.interfaceField(JobInterface, 'submittedBy', (t) =>
  t.field({
    type: ActorRef,
    nullable: true,
    description: 'The key or user that submitted it. Null outside of its account, and where the command line did.',
    resolve: (job, _args, ctx) => submittedBy(ctx, job),
  }),
)
