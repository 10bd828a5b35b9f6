import { generateText, tool, stepCountIs } from 'ai';
import * as ai from 'ai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { z } from 'zod';
import { NodeSDK } from '@opentelemetry/sdk-node';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
const base = process.argv[2];
const sdk = new NodeSDK({ serviceName: 'kiosk-agent', traceExporter: new OTLPTraceExporter({ url: base + '/v1/traces' }) });
sdk.start();
const model = createOpenAICompatible({ name: 'm', baseURL: base + '/v1' })('m');
let loggedIn = false;
const kiosk = tool({ description: 'Run the kiosk program', inputSchema: z.object({ command: z.string() }),
  execute: async ({ command }) => {
    if (command.startsWith('login')) { loggedIn = true; return 'logged in'; }
    if (!loggedIn) throw new Error('kiosk: error: not logged in, run `kiosk login --store north` first');
    return 'pears 12'; } });
const r = await generateText({ model, tools: { kiosk }, stopWhen: stepCountIs(6), prompt: 'Report the stock of the store north', experimental_telemetry: { isEnabled: true, functionId: 'clerk' } });
console.log(r.text);
await sdk.shutdown();
