import { type GraphQLSchema, lexicographicSortSchema, printSchema } from 'graphql'
import { builder } from './builder.ts'
import './node.ts'
import './request-error.ts'
import './scalars.ts'
import '../accounts/account-graphql.ts'
import '../accounts/credit-graphql.ts'
import '../api-keys/api-key-graphql.ts'
import '../companion/companion-graphql.ts'
import '../catalog/graphql/endpoint-graphql.ts'
import '../catalog/graphql/endpoint-management-graphql.ts'
import '../catalog/graphql/endpoint-settings-graphql.ts'
import '../generation/generation-graphql.ts'
import '../jobs/graphql/job-live-graphql.ts'
import '../jobs/graphql/job-management-graphql.ts'
import '../jobs/graphql/job-page-graphql.ts'
import '../jobs/graphql/job-stats-graphql.ts'
import '../jobs/graphql/jobs-graphql.ts'
import '../jobs/graphql/voice-job-graphql.ts'
import '../users/links/sign-in-link-graphql.ts'
import '../users/user-graphql.ts'
import '../webhooks/graphql/webhook-delivery-graphql.ts'
import '../webhooks/graphql/webhook-graphql.ts'
import '../worker/worker-graphql.ts'

export const buildGraphqlSchema = (): GraphQLSchema => builder.toSchema()

/** The content of schema.graphql. */
export const printGraphqlSchema = (): string => `${printSchema(lexicographicSortSchema(buildGraphqlSchema()))}\n`
