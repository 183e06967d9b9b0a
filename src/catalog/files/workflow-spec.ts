import { z } from 'zod'
import { retrySeconds, serverAddress } from '../../engines/engine-block.ts'
import { OWNED_SERVER } from '../../engines/owned-server.ts'
import { MAX_TIME_LIMIT_SECONDS, prose, slug, text, wrongSchema } from './file-fields.ts'
import { hidesPassword } from './hidden-password.ts'

const MAX_CREDITS_PER_JOB = 1_000_000_000

export const workflowSpec = z
  .strictObject({
    slug,
    name: text,
    description: prose.nullish().transform((value) => value ?? null),
    inputs: z.record(z.string(), z.unknown()),
    engine: z.strictObject({
      kind: z.literal('cog'),
      base_url: z
        .string()
        .refine(
          (value) => value === OWNED_SERVER || (/^https?:\/\//i.test(value) && URL.canParse(value)),
          'must be a URL that starts with http(s)://, or worker',
        )
        .refine((value) => !hidesPassword(value), 'must hold the password itself, which is not shown')
        .transform(serverAddress),
      max_in_flight: z.int().min(1).max(64).default(1),
      busy_patience_seconds: z.int().min(0).max(MAX_TIME_LIMIT_SECONDS).default(30),
      retry_seconds: retrySeconds,
    }),
    time_limit_seconds: z.int().min(1).max(MAX_TIME_LIMIT_SECONDS).default(600),
    credits_per_job: z.int().min(0).max(MAX_CREDITS_PER_JOB).default(1),
  })
  .superRefine((value, issues) => {
    const wrong = wrongSchema(value.inputs)
    if (wrong !== null) issues.addIssue({ code: 'custom', path: ['inputs'], message: wrong })
  })

export type WorkflowSpec = z.output<typeof workflowSpec>
