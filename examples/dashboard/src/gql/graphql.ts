/* eslint-disable */
/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
import type { TypedDocumentNode as DocumentNode } from '@graphql-typed-document-node/core';
/** Range of whole milliseconds; either end may be open. */
export type DurationRange = {
  /** Shortest duration, inclusive; open if absent. */
  from?: number | null | undefined;
  /** End of the range, exclusive; open if absent. */
  to?: number | null | undefined;
};

/** Outcome of an attempt at a job. */
export type JobAttemptOutcome =
  /** The attempt completed the job. */
  | 'COMPLETED'
  /** The attempt failed. The job failed with it, or was tried again. */
  | 'FAILED'
  /** The worker was lost, or another one was given the job. */
  | 'LOST'
  /** The worker gave the job back, so the attempt does not count. */
  | 'RELEASED';

/** Verdict of moderation. */
export type JobDecision =
  /** Moderation accepted the content. */
  | 'PASS'
  /** Moderation rejected the content. */
  | 'REJECT';

/** Code of a job's failure, to branch on. */
export type JobErrorCode =
  /** The charge failed: top up the account before you submit the job again. */
  | 'CHARGE_FAILED'
  /** Something went wrong on our side: submit the job again, then contact support with its id. */
  | 'INTERNAL_ERROR'
  /** The job was cancelled: submit it again if that was not intended. */
  | 'JOB_CANCELLED'
  /** The job ran past its time limit: submit it again, or simplify the request. */
  | 'JOB_TIMEOUT'
  /** Capacity is throttled: submit the job again after a short backoff. */
  | 'PROVIDER_BUSY'
  /** The rendering service is unavailable: submit the job again after a short backoff. */
  | 'PROVIDER_UNAVAILABLE'
  /** The job could not be queued: submit it again. */
  | 'QUEUE_FAILED'
  /** The engine rejected the request: fix the inputs before you submit it again. */
  | 'RENDER_FAILED';

/** Status of a job. COMPLETED and FAILED are final. */
export type JobStatus =
  /** The job is done and its outputs are available. */
  | 'COMPLETED'
  /** The job failed or was cancelled: see `errorCode`. */
  | 'FAILED'
  /** A worker performs the job. */
  | 'PROCESSING'
  /** The job waits for a worker. */
  | 'QUEUED';

/** Type of a job: the operation that made it. */
export type JobType =
  /** A message to the companion made it: `chatWithCompanion`. */
  | 'COMPANION_CHAT'
  /** The tagging of a medium made it: `tagMedia`. */
  | 'COMPANION_MEDIA_TAG'
  /** A change of persona made it: `retargetCompanion`. */
  | 'COMPANION_RETARGET'
  /** A workflow made it: `submitGeneration`. */
  | 'GENERATE'
  /** A voice endpoint made it: `submitVoiceJob`. */
  | 'VOICE';

/** Filter of jobs. A job matches if it fits every field that is given, and of a list any of its values. */
export type JobsFilter = {
  /** Jobs that match all of these filters. */
  and?: Array<JobsFilter> | null | undefined;
  /** Jobs that these API keys submitted. */
  apiKeyIds?: Array<string> | null | undefined;
  /** Jobs that ended in this range of time. */
  completedAt?: TimeRange | null | undefined;
  /** Jobs that were accepted in this range of time. */
  createdAt?: TimeRange | null | undefined;
  /** Moderated jobs with this verdict. */
  decision?: JobDecision | null | undefined;
  /** Jobs with a webhook delivery in one of these states. Needs the scope account:admin, or a signed-in owner. */
  deliveryStates?: Array<WebhookDeliveryState> | null | undefined;
  /** Ended jobs that took so long from their acceptance to their end. */
  durationMs?: DurationRange | null | undefined;
  /** Jobs of these endpoints and workflows, such as `voice.tts`. */
  endpointKeys?: Array<string> | null | undefined;
  /** Jobs that failed with one of these codes. */
  errorCodes?: Array<JobErrorCode> | null | undefined;
  /** Jobs whose id begins with this text. */
  idPrefix?: string | null | undefined;
  /** Jobs with these ids, 1 to 100. */
  ids?: Array<string> | null | undefined;
  /** Voice jobs in one of these languages, such as `English`. */
  languages?: Array<string> | null | undefined;
  /** Jobs that do not match this filter. */
  not?: JobsFilter | null | undefined;
  /** Jobs that match one of these filters. */
  or?: Array<JobsFilter> | null | undefined;
  /** Jobs with one of these statuses. */
  statuses?: Array<JobStatus> | null | undefined;
  /** Jobs with at least one of these tags. For jobs with all of several tags, name each in a part of `and`. */
  tags?: Array<string> | null | undefined;
  /** Jobs of these types. */
  types?: Array<JobType> | null | undefined;
  /** Jobs that these users submitted, signed in. */
  userIds?: Array<string> | null | undefined;
  /** Voice jobs with one of these voices: voices of endpoints, or ids of the account's own ones. */
  voices?: Array<string> | null | undefined;
  /** Voice jobs whose text contains each of these words, up to 10, in upper or lower case, also within other words. Lists and counts look through the newest 20,000 jobs of `createdAt`; exports look through all. For the caller's own account only, and not for subscriptions and series. */
  words?: string | null | undefined;
};

/** Range of time; either end may be open. */
export type TimeRange = {
  /** First moment of the range, inclusive; open if absent. */
  from?: string | null | undefined;
  /** End of the range, exclusive; open if absent. */
  to?: string | null | undefined;
};

/** State of a delivery. SUCCEEDED and FAILED are final until it is sent again by hand. */
export type WebhookDeliveryState =
  /** No attempt follows. */
  | 'FAILED'
  /** An attempt runs, or another one follows. */
  | 'PENDING'
  /** The receiver answered 2xx. */
  | 'SUCCEEDED';

export type ViewerQueryVariables = Exact<{ [key: string]: never; }>;


export type ViewerQuery = { viewer: { scopes: Array<string>, account: { id: string, name: string, credits: number } | null, apiKey: { id: string, name: string } | null, endpoints: Array<{ id: string, slug: string, name: string, voiceInput: string, voices: Array<{ id: string, slug: string, name: string }> }> | null } | null };

export type AccountSubscriptionVariables = Exact<{ [key: string]: never; }>;


export type AccountSubscription = { accountUpdated: { account: { id: string, credits: number }, jobCounts: { queued: number, processing: number, completed: number, failed: number } | null } };

type JobRow_CompanionChatJob_Fragment = { id: string, status: JobStatus, endpointKey: string, createdAt: string, durationMs: number | null, cost: number };

type JobRow_CompanionMediaTagJob_Fragment = { id: string, status: JobStatus, endpointKey: string, createdAt: string, durationMs: number | null, cost: number };

type JobRow_CompanionRetargetJob_Fragment = { id: string, status: JobStatus, endpointKey: string, createdAt: string, durationMs: number | null, cost: number };

type JobRow_GenerationJob_Fragment = { id: string, status: JobStatus, endpointKey: string, createdAt: string, durationMs: number | null, cost: number };

type JobRow_VoiceJob_Fragment = { textExcerpt: string | null, voice: string | null, chunksDone: number | null, chunksTotal: number | null, id: string, status: JobStatus, endpointKey: string, createdAt: string, durationMs: number | null, cost: number };

export type JobRowFragment =
  | JobRow_CompanionChatJob_Fragment
  | JobRow_CompanionMediaTagJob_Fragment
  | JobRow_CompanionRetargetJob_Fragment
  | JobRow_GenerationJob_Fragment
  | JobRow_VoiceJob_Fragment
;

export type UnfinishedJobsSubscriptionVariables = Exact<{
  endedWithinMs?: number | null | undefined;
}>;


export type UnfinishedJobsSubscription = { changes: { removedIds: Array<string>, rows: Array<
      | { id: string, status: JobStatus, endpointKey: string, createdAt: string, durationMs: number | null, cost: number }
      | { id: string, status: JobStatus, endpointKey: string, createdAt: string, durationMs: number | null, cost: number }
      | { id: string, status: JobStatus, endpointKey: string, createdAt: string, durationMs: number | null, cost: number }
      | { id: string, status: JobStatus, endpointKey: string, createdAt: string, durationMs: number | null, cost: number }
      | { textExcerpt: string | null, voice: string | null, chunksDone: number | null, chunksTotal: number | null, id: string, status: JobStatus, endpointKey: string, createdAt: string, durationMs: number | null, cost: number }
    > } };

export type UnfinishedListQueryVariables = Exact<{ [key: string]: never; }>;


export type UnfinishedListQuery = { viewer: { jobs: { nodes: Array<
        | { id: string, status: JobStatus, endpointKey: string, createdAt: string, durationMs: number | null, cost: number }
        | { id: string, status: JobStatus, endpointKey: string, createdAt: string, durationMs: number | null, cost: number }
        | { id: string, status: JobStatus, endpointKey: string, createdAt: string, durationMs: number | null, cost: number }
        | { id: string, status: JobStatus, endpointKey: string, createdAt: string, durationMs: number | null, cost: number }
        | { textExcerpt: string | null, voice: string | null, chunksDone: number | null, chunksTotal: number | null, id: string, status: JobStatus, endpointKey: string, createdAt: string, durationMs: number | null, cost: number }
      > } | null } | null };

export type JobsQueryVariables = Exact<{
  filter?: JobsFilter | null | undefined;
  first?: number | null | undefined;
  after?: string | null | undefined;
  last?: number | null | undefined;
  before?: string | null | undefined;
}>;


export type JobsQuery = { viewer: { jobs: { totalCount: number, pageInfo: { hasNextPage: boolean, hasPreviousPage: boolean, startCursor: string | null, endCursor: string | null }, nodes: Array<
        | { id: string, status: JobStatus, endpointKey: string, createdAt: string, durationMs: number | null, cost: number }
        | { id: string, status: JobStatus, endpointKey: string, createdAt: string, durationMs: number | null, cost: number }
        | { id: string, status: JobStatus, endpointKey: string, createdAt: string, durationMs: number | null, cost: number }
        | { id: string, status: JobStatus, endpointKey: string, createdAt: string, durationMs: number | null, cost: number }
        | { textExcerpt: string | null, voice: string | null, chunksDone: number | null, chunksTotal: number | null, id: string, status: JobStatus, endpointKey: string, createdAt: string, durationMs: number | null, cost: number }
      > } | null } | null };

type JobParts_CompanionChatJob_Fragment = { startedAt: string | null, completedAt: string | null, error: string | null, errorCode: JobErrorCode | null, id: string, status: JobStatus, endpointKey: string, createdAt: string, durationMs: number | null, cost: number, attemptHistory: Array<{ number: number, startedAt: string | null, endedAt: string | null, outcome: JobAttemptOutcome | null, error: string | null }>, artifacts: Array<{ id: string, output: string, contentType: string, bytes: number, durationMs: number | null, url: string }> };

type JobParts_CompanionMediaTagJob_Fragment = { startedAt: string | null, completedAt: string | null, error: string | null, errorCode: JobErrorCode | null, id: string, status: JobStatus, endpointKey: string, createdAt: string, durationMs: number | null, cost: number, attemptHistory: Array<{ number: number, startedAt: string | null, endedAt: string | null, outcome: JobAttemptOutcome | null, error: string | null }>, artifacts: Array<{ id: string, output: string, contentType: string, bytes: number, durationMs: number | null, url: string }> };

type JobParts_CompanionRetargetJob_Fragment = { startedAt: string | null, completedAt: string | null, error: string | null, errorCode: JobErrorCode | null, id: string, status: JobStatus, endpointKey: string, createdAt: string, durationMs: number | null, cost: number, attemptHistory: Array<{ number: number, startedAt: string | null, endedAt: string | null, outcome: JobAttemptOutcome | null, error: string | null }>, artifacts: Array<{ id: string, output: string, contentType: string, bytes: number, durationMs: number | null, url: string }> };

type JobParts_GenerationJob_Fragment = { startedAt: string | null, completedAt: string | null, error: string | null, errorCode: JobErrorCode | null, id: string, status: JobStatus, endpointKey: string, createdAt: string, durationMs: number | null, cost: number, attemptHistory: Array<{ number: number, startedAt: string | null, endedAt: string | null, outcome: JobAttemptOutcome | null, error: string | null }>, artifacts: Array<{ id: string, output: string, contentType: string, bytes: number, durationMs: number | null, url: string }> };

type JobParts_VoiceJob_Fragment = { startedAt: string | null, completedAt: string | null, error: string | null, errorCode: JobErrorCode | null, textExcerpt: string | null, voice: string | null, chunksDone: number | null, chunksTotal: number | null, id: string, status: JobStatus, endpointKey: string, createdAt: string, durationMs: number | null, cost: number, attemptHistory: Array<{ number: number, startedAt: string | null, endedAt: string | null, outcome: JobAttemptOutcome | null, error: string | null }>, artifacts: Array<{ id: string, output: string, contentType: string, bytes: number, durationMs: number | null, url: string }> };

export type JobPartsFragment =
  | JobParts_CompanionChatJob_Fragment
  | JobParts_CompanionMediaTagJob_Fragment
  | JobParts_CompanionRetargetJob_Fragment
  | JobParts_GenerationJob_Fragment
  | JobParts_VoiceJob_Fragment
;

export type JobQueryVariables = Exact<{
  id: string;
}>;


export type JobQuery = { job:
    | { startedAt: string | null, completedAt: string | null, error: string | null, errorCode: JobErrorCode | null, id: string, status: JobStatus, endpointKey: string, createdAt: string, durationMs: number | null, cost: number, attemptHistory: Array<{ number: number, startedAt: string | null, endedAt: string | null, outcome: JobAttemptOutcome | null, error: string | null }>, artifacts: Array<{ id: string, output: string, contentType: string, bytes: number, durationMs: number | null, url: string }> }
    | { startedAt: string | null, completedAt: string | null, error: string | null, errorCode: JobErrorCode | null, id: string, status: JobStatus, endpointKey: string, createdAt: string, durationMs: number | null, cost: number, attemptHistory: Array<{ number: number, startedAt: string | null, endedAt: string | null, outcome: JobAttemptOutcome | null, error: string | null }>, artifacts: Array<{ id: string, output: string, contentType: string, bytes: number, durationMs: number | null, url: string }> }
    | { startedAt: string | null, completedAt: string | null, error: string | null, errorCode: JobErrorCode | null, id: string, status: JobStatus, endpointKey: string, createdAt: string, durationMs: number | null, cost: number, attemptHistory: Array<{ number: number, startedAt: string | null, endedAt: string | null, outcome: JobAttemptOutcome | null, error: string | null }>, artifacts: Array<{ id: string, output: string, contentType: string, bytes: number, durationMs: number | null, url: string }> }
    | { startedAt: string | null, completedAt: string | null, error: string | null, errorCode: JobErrorCode | null, id: string, status: JobStatus, endpointKey: string, createdAt: string, durationMs: number | null, cost: number, attemptHistory: Array<{ number: number, startedAt: string | null, endedAt: string | null, outcome: JobAttemptOutcome | null, error: string | null }>, artifacts: Array<{ id: string, output: string, contentType: string, bytes: number, durationMs: number | null, url: string }> }
    | { startedAt: string | null, completedAt: string | null, error: string | null, errorCode: JobErrorCode | null, textExcerpt: string | null, voice: string | null, chunksDone: number | null, chunksTotal: number | null, id: string, status: JobStatus, endpointKey: string, createdAt: string, durationMs: number | null, cost: number, attemptHistory: Array<{ number: number, startedAt: string | null, endedAt: string | null, outcome: JobAttemptOutcome | null, error: string | null }>, artifacts: Array<{ id: string, output: string, contentType: string, bytes: number, durationMs: number | null, url: string }> }
   };

export type JobUpdatesSubscriptionVariables = Exact<{
  id: string;
}>;


export type JobUpdatesSubscription = { jobUpdated:
    | { startedAt: string | null, completedAt: string | null, error: string | null, errorCode: JobErrorCode | null, id: string, status: JobStatus, endpointKey: string, createdAt: string, durationMs: number | null, cost: number, attemptHistory: Array<{ number: number, startedAt: string | null, endedAt: string | null, outcome: JobAttemptOutcome | null, error: string | null }>, artifacts: Array<{ id: string, output: string, contentType: string, bytes: number, durationMs: number | null, url: string }> }
    | { startedAt: string | null, completedAt: string | null, error: string | null, errorCode: JobErrorCode | null, id: string, status: JobStatus, endpointKey: string, createdAt: string, durationMs: number | null, cost: number, attemptHistory: Array<{ number: number, startedAt: string | null, endedAt: string | null, outcome: JobAttemptOutcome | null, error: string | null }>, artifacts: Array<{ id: string, output: string, contentType: string, bytes: number, durationMs: number | null, url: string }> }
    | { startedAt: string | null, completedAt: string | null, error: string | null, errorCode: JobErrorCode | null, id: string, status: JobStatus, endpointKey: string, createdAt: string, durationMs: number | null, cost: number, attemptHistory: Array<{ number: number, startedAt: string | null, endedAt: string | null, outcome: JobAttemptOutcome | null, error: string | null }>, artifacts: Array<{ id: string, output: string, contentType: string, bytes: number, durationMs: number | null, url: string }> }
    | { startedAt: string | null, completedAt: string | null, error: string | null, errorCode: JobErrorCode | null, id: string, status: JobStatus, endpointKey: string, createdAt: string, durationMs: number | null, cost: number, attemptHistory: Array<{ number: number, startedAt: string | null, endedAt: string | null, outcome: JobAttemptOutcome | null, error: string | null }>, artifacts: Array<{ id: string, output: string, contentType: string, bytes: number, durationMs: number | null, url: string }> }
    | { startedAt: string | null, completedAt: string | null, error: string | null, errorCode: JobErrorCode | null, textExcerpt: string | null, voice: string | null, chunksDone: number | null, chunksTotal: number | null, id: string, status: JobStatus, endpointKey: string, createdAt: string, durationMs: number | null, cost: number, attemptHistory: Array<{ number: number, startedAt: string | null, endedAt: string | null, outcome: JobAttemptOutcome | null, error: string | null }>, artifacts: Array<{ id: string, output: string, contentType: string, bytes: number, durationMs: number | null, url: string }> }
   };

export type DeliveryRowFragment = { id: string, url: string, state: WebhookDeliveryState, outcome: string | null, nextAttemptAt: string | null, attempts: Array<{ round: number, number: number, startedAt: string, durationMs: number | null, outcome: string | null, responseStatus: number | null }> };

export type DeliveriesSubscriptionVariables = Exact<{
  jobId: string;
  endedWithinMs?: number | null | undefined;
}>;


export type DeliveriesSubscription = { changes: { removedIds: Array<string>, rows: Array<{ id: string, url: string, state: WebhookDeliveryState, outcome: string | null, nextAttemptAt: string | null, attempts: Array<{ round: number, number: number, startedAt: string, durationMs: number | null, outcome: string | null, responseStatus: number | null }> }> } };

export type JobDeliveriesQueryVariables = Exact<{
  id: string;
}>;


export type JobDeliveriesQuery = { job:
    | { id: string, deliveries: Array<{ id: string, url: string, state: WebhookDeliveryState, outcome: string | null, nextAttemptAt: string | null, attempts: Array<{ round: number, number: number, startedAt: string, durationMs: number | null, outcome: string | null, responseStatus: number | null }> }> | null }
    | { id: string, deliveries: Array<{ id: string, url: string, state: WebhookDeliveryState, outcome: string | null, nextAttemptAt: string | null, attempts: Array<{ round: number, number: number, startedAt: string, durationMs: number | null, outcome: string | null, responseStatus: number | null }> }> | null }
    | { id: string, deliveries: Array<{ id: string, url: string, state: WebhookDeliveryState, outcome: string | null, nextAttemptAt: string | null, attempts: Array<{ round: number, number: number, startedAt: string, durationMs: number | null, outcome: string | null, responseStatus: number | null }> }> | null }
    | { id: string, deliveries: Array<{ id: string, url: string, state: WebhookDeliveryState, outcome: string | null, nextAttemptAt: string | null, attempts: Array<{ round: number, number: number, startedAt: string, durationMs: number | null, outcome: string | null, responseStatus: number | null }> }> | null }
    | { id: string, deliveries: Array<{ id: string, url: string, state: WebhookDeliveryState, outcome: string | null, nextAttemptAt: string | null, attempts: Array<{ round: number, number: number, startedAt: string, durationMs: number | null, outcome: string | null, responseStatus: number | null }> }> | null }
   };

export type RedeliverMutationVariables = Exact<{
  id: string;
}>;


export type RedeliverMutation = { redeliverWebhook:
    | { __typename: 'RequestError', message: string }
    | { __typename: 'WebhookDelivery', id: string, url: string, state: WebhookDeliveryState, outcome: string | null, nextAttemptAt: string | null, attempts: Array<{ round: number, number: number, startedAt: string, durationMs: number | null, outcome: string | null, responseStatus: number | null }> }
   };

export type SubmitMutationVariables = Exact<{
  slug: string;
  inputs: unknown;
}>;


export type SubmitMutation = { submitVoiceJob:
    | { __typename: 'RequestError', message: string, details: Array<{ path: string, message: string }> }
    | { __typename: 'VoiceJobSubmission', jobId: string, job: { textExcerpt: string | null, voice: string | null, chunksDone: number | null, chunksTotal: number | null, id: string, status: JobStatus, endpointKey: string, createdAt: string, durationMs: number | null, cost: number } | null }
   };

export type DaysQueryVariables = Exact<{
  from: string;
  timeZone?: string | null | undefined;
}>;


export type DaysQuery = { viewer: { jobStats: Array<{ day: string | null, jobs: number, credits: number | null }> | null } | null };

export const JobRowFragmentDoc = {"kind":"Document","definitions":[{"kind":"FragmentDefinition","name":{"kind":"Name","value":"JobRow"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Job"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"status"}},{"kind":"Field","name":{"kind":"Name","value":"endpointKey"}},{"kind":"Field","name":{"kind":"Name","value":"createdAt"}},{"kind":"Field","name":{"kind":"Name","value":"durationMs"}},{"kind":"Field","name":{"kind":"Name","value":"cost"}},{"kind":"InlineFragment","typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"VoiceJob"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"textExcerpt"}},{"kind":"Field","name":{"kind":"Name","value":"voice"}},{"kind":"Field","name":{"kind":"Name","value":"chunksDone"}},{"kind":"Field","name":{"kind":"Name","value":"chunksTotal"}}]}}]}}]} as unknown as DocumentNode<JobRowFragment, unknown>;
export const JobPartsFragmentDoc = {"kind":"Document","definitions":[{"kind":"FragmentDefinition","name":{"kind":"Name","value":"JobParts"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Job"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"JobRow"}},{"kind":"Field","name":{"kind":"Name","value":"startedAt"}},{"kind":"Field","name":{"kind":"Name","value":"completedAt"}},{"kind":"Field","name":{"kind":"Name","value":"error"}},{"kind":"Field","name":{"kind":"Name","value":"errorCode"}},{"kind":"Field","name":{"kind":"Name","value":"attemptHistory"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"number"}},{"kind":"Field","name":{"kind":"Name","value":"startedAt"}},{"kind":"Field","name":{"kind":"Name","value":"endedAt"}},{"kind":"Field","name":{"kind":"Name","value":"outcome"}},{"kind":"Field","name":{"kind":"Name","value":"error"}}]}},{"kind":"Field","name":{"kind":"Name","value":"artifacts"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"output"}},{"kind":"Field","name":{"kind":"Name","value":"contentType"}},{"kind":"Field","name":{"kind":"Name","value":"bytes"}},{"kind":"Field","name":{"kind":"Name","value":"durationMs"}},{"kind":"Field","name":{"kind":"Name","value":"url"}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"JobRow"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Job"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"status"}},{"kind":"Field","name":{"kind":"Name","value":"endpointKey"}},{"kind":"Field","name":{"kind":"Name","value":"createdAt"}},{"kind":"Field","name":{"kind":"Name","value":"durationMs"}},{"kind":"Field","name":{"kind":"Name","value":"cost"}},{"kind":"InlineFragment","typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"VoiceJob"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"textExcerpt"}},{"kind":"Field","name":{"kind":"Name","value":"voice"}},{"kind":"Field","name":{"kind":"Name","value":"chunksDone"}},{"kind":"Field","name":{"kind":"Name","value":"chunksTotal"}}]}}]}}]} as unknown as DocumentNode<JobPartsFragment, unknown>;
export const DeliveryRowFragmentDoc = {"kind":"Document","definitions":[{"kind":"FragmentDefinition","name":{"kind":"Name","value":"DeliveryRow"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"WebhookDelivery"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"url"}},{"kind":"Field","name":{"kind":"Name","value":"state"}},{"kind":"Field","name":{"kind":"Name","value":"outcome"}},{"kind":"Field","name":{"kind":"Name","value":"nextAttemptAt"}},{"kind":"Field","name":{"kind":"Name","value":"attempts"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"round"}},{"kind":"Field","name":{"kind":"Name","value":"number"}},{"kind":"Field","name":{"kind":"Name","value":"startedAt"}},{"kind":"Field","name":{"kind":"Name","value":"durationMs"}},{"kind":"Field","name":{"kind":"Name","value":"outcome"}},{"kind":"Field","name":{"kind":"Name","value":"responseStatus"}}]}}]}}]} as unknown as DocumentNode<DeliveryRowFragment, unknown>;
export const ViewerDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"Viewer"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"viewer"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"scopes"}},{"kind":"Field","name":{"kind":"Name","value":"account"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"name"}},{"kind":"Field","name":{"kind":"Name","value":"credits"}}]}},{"kind":"Field","name":{"kind":"Name","value":"apiKey"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"name"}}]}},{"kind":"Field","name":{"kind":"Name","value":"endpoints"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"slug"}},{"kind":"Field","name":{"kind":"Name","value":"name"}},{"kind":"Field","name":{"kind":"Name","value":"voiceInput"}},{"kind":"Field","name":{"kind":"Name","value":"voices"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"slug"}},{"kind":"Field","name":{"kind":"Name","value":"name"}}]}}]}}]}}]}}]} as unknown as DocumentNode<ViewerQuery, ViewerQueryVariables>;
export const AccountDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"subscription","name":{"kind":"Name","value":"Account"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"accountUpdated"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"account"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"credits"}}]}},{"kind":"Field","name":{"kind":"Name","value":"jobCounts"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"queued"}},{"kind":"Field","name":{"kind":"Name","value":"processing"}},{"kind":"Field","name":{"kind":"Name","value":"completed"}},{"kind":"Field","name":{"kind":"Name","value":"failed"}}]}}]}}]}}]} as unknown as DocumentNode<AccountSubscription, AccountSubscriptionVariables>;
export const UnfinishedJobsDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"subscription","name":{"kind":"Name","value":"UnfinishedJobs"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"endedWithinMs"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"Int"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","alias":{"kind":"Name","value":"changes"},"name":{"kind":"Name","value":"jobChanges"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"filter"},"value":{"kind":"ObjectValue","fields":[{"kind":"ObjectField","name":{"kind":"Name","value":"statuses"},"value":{"kind":"ListValue","values":[{"kind":"EnumValue","value":"QUEUED"},{"kind":"EnumValue","value":"PROCESSING"}]}}]}},{"kind":"Argument","name":{"kind":"Name","value":"endedWithinMs"},"value":{"kind":"Variable","name":{"kind":"Name","value":"endedWithinMs"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","alias":{"kind":"Name","value":"rows"},"name":{"kind":"Name","value":"jobs"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"JobRow"}}]}},{"kind":"Field","name":{"kind":"Name","value":"removedIds"}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"JobRow"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Job"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"status"}},{"kind":"Field","name":{"kind":"Name","value":"endpointKey"}},{"kind":"Field","name":{"kind":"Name","value":"createdAt"}},{"kind":"Field","name":{"kind":"Name","value":"durationMs"}},{"kind":"Field","name":{"kind":"Name","value":"cost"}},{"kind":"InlineFragment","typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"VoiceJob"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"textExcerpt"}},{"kind":"Field","name":{"kind":"Name","value":"voice"}},{"kind":"Field","name":{"kind":"Name","value":"chunksDone"}},{"kind":"Field","name":{"kind":"Name","value":"chunksTotal"}}]}}]}}]} as unknown as DocumentNode<UnfinishedJobsSubscription, UnfinishedJobsSubscriptionVariables>;
export const UnfinishedListDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"UnfinishedList"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"viewer"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"jobs"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"IntValue","value":"100"}},{"kind":"Argument","name":{"kind":"Name","value":"filter"},"value":{"kind":"ObjectValue","fields":[{"kind":"ObjectField","name":{"kind":"Name","value":"statuses"},"value":{"kind":"ListValue","values":[{"kind":"EnumValue","value":"QUEUED"},{"kind":"EnumValue","value":"PROCESSING"}]}}]}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"nodes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"JobRow"}}]}}]}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"JobRow"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Job"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"status"}},{"kind":"Field","name":{"kind":"Name","value":"endpointKey"}},{"kind":"Field","name":{"kind":"Name","value":"createdAt"}},{"kind":"Field","name":{"kind":"Name","value":"durationMs"}},{"kind":"Field","name":{"kind":"Name","value":"cost"}},{"kind":"InlineFragment","typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"VoiceJob"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"textExcerpt"}},{"kind":"Field","name":{"kind":"Name","value":"voice"}},{"kind":"Field","name":{"kind":"Name","value":"chunksDone"}},{"kind":"Field","name":{"kind":"Name","value":"chunksTotal"}}]}}]}}]} as unknown as DocumentNode<UnfinishedListQuery, UnfinishedListQueryVariables>;
export const JobsDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"Jobs"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"filter"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"JobsFilter"}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"first"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"Int"}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"after"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"last"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"Int"}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"before"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"viewer"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"jobs"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"filter"},"value":{"kind":"Variable","name":{"kind":"Name","value":"filter"}}},{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"Variable","name":{"kind":"Name","value":"first"}}},{"kind":"Argument","name":{"kind":"Name","value":"after"},"value":{"kind":"Variable","name":{"kind":"Name","value":"after"}}},{"kind":"Argument","name":{"kind":"Name","value":"last"},"value":{"kind":"Variable","name":{"kind":"Name","value":"last"}}},{"kind":"Argument","name":{"kind":"Name","value":"before"},"value":{"kind":"Variable","name":{"kind":"Name","value":"before"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"totalCount"}},{"kind":"Field","name":{"kind":"Name","value":"pageInfo"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"hasNextPage"}},{"kind":"Field","name":{"kind":"Name","value":"hasPreviousPage"}},{"kind":"Field","name":{"kind":"Name","value":"startCursor"}},{"kind":"Field","name":{"kind":"Name","value":"endCursor"}}]}},{"kind":"Field","name":{"kind":"Name","value":"nodes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"JobRow"}}]}}]}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"JobRow"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Job"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"status"}},{"kind":"Field","name":{"kind":"Name","value":"endpointKey"}},{"kind":"Field","name":{"kind":"Name","value":"createdAt"}},{"kind":"Field","name":{"kind":"Name","value":"durationMs"}},{"kind":"Field","name":{"kind":"Name","value":"cost"}},{"kind":"InlineFragment","typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"VoiceJob"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"textExcerpt"}},{"kind":"Field","name":{"kind":"Name","value":"voice"}},{"kind":"Field","name":{"kind":"Name","value":"chunksDone"}},{"kind":"Field","name":{"kind":"Name","value":"chunksTotal"}}]}}]}}]} as unknown as DocumentNode<JobsQuery, JobsQueryVariables>;
export const JobDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"Job"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"id"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"ID"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"job"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"id"},"value":{"kind":"Variable","name":{"kind":"Name","value":"id"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"JobParts"}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"JobRow"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Job"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"status"}},{"kind":"Field","name":{"kind":"Name","value":"endpointKey"}},{"kind":"Field","name":{"kind":"Name","value":"createdAt"}},{"kind":"Field","name":{"kind":"Name","value":"durationMs"}},{"kind":"Field","name":{"kind":"Name","value":"cost"}},{"kind":"InlineFragment","typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"VoiceJob"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"textExcerpt"}},{"kind":"Field","name":{"kind":"Name","value":"voice"}},{"kind":"Field","name":{"kind":"Name","value":"chunksDone"}},{"kind":"Field","name":{"kind":"Name","value":"chunksTotal"}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"JobParts"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Job"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"JobRow"}},{"kind":"Field","name":{"kind":"Name","value":"startedAt"}},{"kind":"Field","name":{"kind":"Name","value":"completedAt"}},{"kind":"Field","name":{"kind":"Name","value":"error"}},{"kind":"Field","name":{"kind":"Name","value":"errorCode"}},{"kind":"Field","name":{"kind":"Name","value":"attemptHistory"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"number"}},{"kind":"Field","name":{"kind":"Name","value":"startedAt"}},{"kind":"Field","name":{"kind":"Name","value":"endedAt"}},{"kind":"Field","name":{"kind":"Name","value":"outcome"}},{"kind":"Field","name":{"kind":"Name","value":"error"}}]}},{"kind":"Field","name":{"kind":"Name","value":"artifacts"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"output"}},{"kind":"Field","name":{"kind":"Name","value":"contentType"}},{"kind":"Field","name":{"kind":"Name","value":"bytes"}},{"kind":"Field","name":{"kind":"Name","value":"durationMs"}},{"kind":"Field","name":{"kind":"Name","value":"url"}}]}}]}}]} as unknown as DocumentNode<JobQuery, JobQueryVariables>;
export const JobUpdatesDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"subscription","name":{"kind":"Name","value":"JobUpdates"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"id"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"ID"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"jobUpdated"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"id"},"value":{"kind":"Variable","name":{"kind":"Name","value":"id"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"JobParts"}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"JobRow"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Job"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"status"}},{"kind":"Field","name":{"kind":"Name","value":"endpointKey"}},{"kind":"Field","name":{"kind":"Name","value":"createdAt"}},{"kind":"Field","name":{"kind":"Name","value":"durationMs"}},{"kind":"Field","name":{"kind":"Name","value":"cost"}},{"kind":"InlineFragment","typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"VoiceJob"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"textExcerpt"}},{"kind":"Field","name":{"kind":"Name","value":"voice"}},{"kind":"Field","name":{"kind":"Name","value":"chunksDone"}},{"kind":"Field","name":{"kind":"Name","value":"chunksTotal"}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"JobParts"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Job"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"JobRow"}},{"kind":"Field","name":{"kind":"Name","value":"startedAt"}},{"kind":"Field","name":{"kind":"Name","value":"completedAt"}},{"kind":"Field","name":{"kind":"Name","value":"error"}},{"kind":"Field","name":{"kind":"Name","value":"errorCode"}},{"kind":"Field","name":{"kind":"Name","value":"attemptHistory"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"number"}},{"kind":"Field","name":{"kind":"Name","value":"startedAt"}},{"kind":"Field","name":{"kind":"Name","value":"endedAt"}},{"kind":"Field","name":{"kind":"Name","value":"outcome"}},{"kind":"Field","name":{"kind":"Name","value":"error"}}]}},{"kind":"Field","name":{"kind":"Name","value":"artifacts"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"output"}},{"kind":"Field","name":{"kind":"Name","value":"contentType"}},{"kind":"Field","name":{"kind":"Name","value":"bytes"}},{"kind":"Field","name":{"kind":"Name","value":"durationMs"}},{"kind":"Field","name":{"kind":"Name","value":"url"}}]}}]}}]} as unknown as DocumentNode<JobUpdatesSubscription, JobUpdatesSubscriptionVariables>;
export const DeliveriesDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"subscription","name":{"kind":"Name","value":"Deliveries"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"jobId"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"ID"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"endedWithinMs"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"Int"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","alias":{"kind":"Name","value":"changes"},"name":{"kind":"Name","value":"deliveryChanges"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"filter"},"value":{"kind":"ObjectValue","fields":[{"kind":"ObjectField","name":{"kind":"Name","value":"jobId"},"value":{"kind":"Variable","name":{"kind":"Name","value":"jobId"}}}]}},{"kind":"Argument","name":{"kind":"Name","value":"everyMs"},"value":{"kind":"IntValue","value":"250"}},{"kind":"Argument","name":{"kind":"Name","value":"endedWithinMs"},"value":{"kind":"Variable","name":{"kind":"Name","value":"endedWithinMs"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","alias":{"kind":"Name","value":"rows"},"name":{"kind":"Name","value":"deliveries"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"DeliveryRow"}}]}},{"kind":"Field","name":{"kind":"Name","value":"removedIds"}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"DeliveryRow"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"WebhookDelivery"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"url"}},{"kind":"Field","name":{"kind":"Name","value":"state"}},{"kind":"Field","name":{"kind":"Name","value":"outcome"}},{"kind":"Field","name":{"kind":"Name","value":"nextAttemptAt"}},{"kind":"Field","name":{"kind":"Name","value":"attempts"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"round"}},{"kind":"Field","name":{"kind":"Name","value":"number"}},{"kind":"Field","name":{"kind":"Name","value":"startedAt"}},{"kind":"Field","name":{"kind":"Name","value":"durationMs"}},{"kind":"Field","name":{"kind":"Name","value":"outcome"}},{"kind":"Field","name":{"kind":"Name","value":"responseStatus"}}]}}]}}]} as unknown as DocumentNode<DeliveriesSubscription, DeliveriesSubscriptionVariables>;
export const JobDeliveriesDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"JobDeliveries"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"id"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"ID"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"job"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"id"},"value":{"kind":"Variable","name":{"kind":"Name","value":"id"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"deliveries"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"DeliveryRow"}}]}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"DeliveryRow"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"WebhookDelivery"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"url"}},{"kind":"Field","name":{"kind":"Name","value":"state"}},{"kind":"Field","name":{"kind":"Name","value":"outcome"}},{"kind":"Field","name":{"kind":"Name","value":"nextAttemptAt"}},{"kind":"Field","name":{"kind":"Name","value":"attempts"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"round"}},{"kind":"Field","name":{"kind":"Name","value":"number"}},{"kind":"Field","name":{"kind":"Name","value":"startedAt"}},{"kind":"Field","name":{"kind":"Name","value":"durationMs"}},{"kind":"Field","name":{"kind":"Name","value":"outcome"}},{"kind":"Field","name":{"kind":"Name","value":"responseStatus"}}]}}]}}]} as unknown as DocumentNode<JobDeliveriesQuery, JobDeliveriesQueryVariables>;
export const RedeliverDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"Redeliver"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"id"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"ID"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"redeliverWebhook"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"id"},"value":{"kind":"Variable","name":{"kind":"Name","value":"id"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"__typename"}},{"kind":"InlineFragment","typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"WebhookDelivery"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"DeliveryRow"}}]}},{"kind":"InlineFragment","typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"RequestError"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"message"}}]}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"DeliveryRow"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"WebhookDelivery"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"url"}},{"kind":"Field","name":{"kind":"Name","value":"state"}},{"kind":"Field","name":{"kind":"Name","value":"outcome"}},{"kind":"Field","name":{"kind":"Name","value":"nextAttemptAt"}},{"kind":"Field","name":{"kind":"Name","value":"attempts"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"round"}},{"kind":"Field","name":{"kind":"Name","value":"number"}},{"kind":"Field","name":{"kind":"Name","value":"startedAt"}},{"kind":"Field","name":{"kind":"Name","value":"durationMs"}},{"kind":"Field","name":{"kind":"Name","value":"outcome"}},{"kind":"Field","name":{"kind":"Name","value":"responseStatus"}}]}}]}}]} as unknown as DocumentNode<RedeliverMutation, RedeliverMutationVariables>;
export const SubmitDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"Submit"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"slug"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"inputs"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"JSON"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"submitVoiceJob"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"slug"},"value":{"kind":"Variable","name":{"kind":"Name","value":"slug"}}},{"kind":"Argument","name":{"kind":"Name","value":"inputs"},"value":{"kind":"Variable","name":{"kind":"Name","value":"inputs"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"__typename"}},{"kind":"InlineFragment","typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"VoiceJobSubmission"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"jobId"}},{"kind":"Field","name":{"kind":"Name","value":"job"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"JobRow"}}]}}]}},{"kind":"InlineFragment","typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"RequestError"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"message"}},{"kind":"Field","name":{"kind":"Name","value":"details"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"path"}},{"kind":"Field","name":{"kind":"Name","value":"message"}}]}}]}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"JobRow"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Job"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"status"}},{"kind":"Field","name":{"kind":"Name","value":"endpointKey"}},{"kind":"Field","name":{"kind":"Name","value":"createdAt"}},{"kind":"Field","name":{"kind":"Name","value":"durationMs"}},{"kind":"Field","name":{"kind":"Name","value":"cost"}},{"kind":"InlineFragment","typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"VoiceJob"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"textExcerpt"}},{"kind":"Field","name":{"kind":"Name","value":"voice"}},{"kind":"Field","name":{"kind":"Name","value":"chunksDone"}},{"kind":"Field","name":{"kind":"Name","value":"chunksTotal"}}]}}]}}]} as unknown as DocumentNode<SubmitMutation, SubmitMutationVariables>;
export const DaysDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"Days"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"from"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"DateTime"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"timeZone"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"viewer"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"jobStats"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"groupBy"},"value":{"kind":"ListValue","values":[{"kind":"EnumValue","value":"DAY"}]}},{"kind":"Argument","name":{"kind":"Name","value":"timeZone"},"value":{"kind":"Variable","name":{"kind":"Name","value":"timeZone"}}},{"kind":"Argument","name":{"kind":"Name","value":"filter"},"value":{"kind":"ObjectValue","fields":[{"kind":"ObjectField","name":{"kind":"Name","value":"createdAt"},"value":{"kind":"ObjectValue","fields":[{"kind":"ObjectField","name":{"kind":"Name","value":"from"},"value":{"kind":"Variable","name":{"kind":"Name","value":"from"}}}]}}]}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"day"}},{"kind":"Field","name":{"kind":"Name","value":"jobs"}},{"kind":"Field","name":{"kind":"Name","value":"credits"}}]}}]}}]}}]} as unknown as DocumentNode<DaysQuery, DaysQueryVariables>;