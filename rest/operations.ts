import {
  CHAT_SCOPE,
  GENERATION_SCOPE,
  JOB_READ_SCOPE,
  LIBRARY_SCOPE,
  MEDIA_TAG_SCOPE,
  RETARGET_SCOPE,
  VOICE_SCOPE,
} from '../src/access/scopes.ts'
import { account } from '../src/accounts/accounts.ts'
import { catalog, catalogEndpoint, endpointSchema, endpointVoices } from '../src/catalog/endpoints.ts'
import { chatWithCompanion, retargetCompanion } from '../src/companion/chat-with-companion.ts'
import { tagMedia } from '../src/companion/tag-media.ts'
import { submitGeneration } from '../src/generation/submit-generation.ts'
import { changedJobs } from '../src/jobs/export/changed-jobs.ts'
import { exportJobs } from '../src/jobs/export/export-jobs.ts'
import { settledEntries } from '../src/jobs/export/settled-entries.ts'
import { job, voiceJob } from '../src/jobs/job.ts'
import { jobPage } from '../src/jobs/list/job-page.ts'
import { presentUsage } from '../src/jobs/list/present-usage.ts'
import { usage } from '../src/jobs/list/usage.ts'
import { lexicon, setLexicon } from '../src/lexicon/account-lexicon.ts'
import { accountVoices } from '../src/library/account-voices.ts'
import { addVoice, deleteVoice } from '../src/library/change-voices.ts'
import { voiceJobCaptions } from '../src/voice/captions/voice-job-captions.ts'
import { voiceJobAudio } from '../src/voice/stored-speech.ts'
import { submitVoiceJob } from '../src/voice/submit-voice-job.ts'
import { accepted, audioFile, cached, captionsFile, created, finished, ok, polled, shown } from './answers.ts'
import { csvFile, feedFile } from './csv.ts'
import {
  audioInput,
  changesInput,
  chatInput,
  entriesInput,
  exportInput,
  formatInput,
  jobInput,
  mediaTagInput,
  nothing,
  pageInput,
  retargetInput,
  slugInput,
  submissionInput,
  usageInput,
  voiceForm,
  voiceInput,
} from './inputs.ts'
import { operation } from './operation.ts'
import {
  presentAccount,
  presentAccountVoice,
  presentAccountVoices,
  presentChat,
  presentDeletedVoice,
  presentJobPage,
  presentLexicon,
  presentMediaTags,
  presentRetarget,
  presentSchema,
  presentVoices,
} from './present.ts'
import { endpointOf, replayableEndpoint, replayableWorkflow } from './targets.ts'
import type { Lexicon as LexiconBody } from './types.ts'

/** The whole REST API by operationId. */
export const operations = {
  submitVoiceJob: operation({
    scope: VOICE_SCOPE,
    target: replayableEndpoint,
    input: submissionInput,
    body: 'text',
    verb: submitVoiceJob,
    answer: accepted('/voice/jobs'),
  }),
  submitGeneration: operation({
    scope: GENERATION_SCOPE,
    target: replayableWorkflow,
    input: submissionInput,
    verb: submitGeneration,
    answer: accepted('/jobs'),
  }),
  chatWithCompanion: operation({
    scope: CHAT_SCOPE,
    input: chatInput,
    verb: chatWithCompanion,
    answer: finished(presentChat),
  }),
  retargetCompanion: operation({
    scope: RETARGET_SCOPE,
    input: retargetInput,
    verb: retargetCompanion,
    answer: finished(presentRetarget),
  }),
  tagMedia: operation({
    scope: MEDIA_TAG_SCOPE,
    input: mediaTagInput,
    verb: tagMedia,
    answer: finished(presentMediaTags),
  }),
  jobPage: operation({ scope: JOB_READ_SCOPE, input: pageInput, verb: jobPage, answer: ok(presentJobPage) }),
  job: operation({ scope: JOB_READ_SCOPE, input: jobInput, verb: job, answer: shown }),
  exportJobs: operation({ scope: JOB_READ_SCOPE, input: exportInput, verb: exportJobs, answer: csvFile }),
  changedJobs: operation({
    scope: JOB_READ_SCOPE,
    isStrict: true,
    input: changesInput,
    verb: changedJobs,
    answer: feedFile('jobs', 'changed'),
  }),
  settledEntries: operation({
    // A key that administers the account may read its ledger as well, so the verb decides.
    scope: null,
    isStrict: true,
    input: entriesInput,
    verb: settledEntries,
    answer: feedFile('ledger'),
  }),
  usage: operation({
    scope: JOB_READ_SCOPE,
    isStrict: true,
    input: usageInput,
    verb: usage,
    answer: ok(presentUsage),
  }),
  voiceJobAudio: operation({
    scope: JOB_READ_SCOPE,
    input: audioInput,
    verb: voiceJobAudio,
    answer: audioFile,
  }),
  voiceJobCaptions: operation({
    scope: JOB_READ_SCOPE,
    input: formatInput,
    verb: voiceJobCaptions,
    answer: captionsFile,
  }),
  voiceJob: operation({ scope: VOICE_SCOPE, input: jobInput, verb: voiceJob, answer: polled }),
  accountVoices: operation({
    scope: LIBRARY_SCOPE,
    input: nothing,
    verb: accountVoices,
    answer: ok(presentAccountVoices),
  }),
  addVoice: operation({
    scope: LIBRARY_SCOPE,
    body: 'form',
    input: voiceForm,
    verb: addVoice,
    answer: created(presentAccountVoice),
  }),
  deleteVoice: operation({
    scope: LIBRARY_SCOPE,
    input: voiceInput,
    verb: deleteVoice,
    answer: ok(presentDeletedVoice),
  }),
  lexicon: operation({ scope: LIBRARY_SCOPE, input: nothing, verb: lexicon, answer: ok(presentLexicon) }),
  setLexicon: operation({
    scope: LIBRARY_SCOPE,
    body: 'list',
    input: ({ body }) => body as LexiconBody,
    verb: setLexicon,
    answer: ok(presentLexicon),
  }),
  account: operation({ scope: null, input: nothing, verb: account, answer: ok(presentAccount) }),
  endpointVoices: operation({
    scope: VOICE_SCOPE,
    target: endpointOf,
    input: slugInput,
    verb: endpointVoices,
    answer: ok(presentVoices),
  }),
  endpointSchema: operation({
    scope: VOICE_SCOPE,
    target: endpointOf,
    input: slugInput,
    verb: endpointSchema,
    answer: ok(presentSchema),
  }),
  catalog: operation({
    scope: null,
    input: nothing,
    verb: catalog,
    answer: ({ document }, call) => cached(document, call),
  }),
  catalogEndpoint: operation({
    scope: null,
    input: slugInput,
    verb: catalogEndpoint,
    answer: ({ document }, call) => cached(document, call),
  }),
}
