"""Reflections of another program."""

from __future__ import annotations

SCHEMA_FORM = {
    "loop_id": "ralph-test-coverage",
    "iteration": 1,
    "timestamp": "2026-01-25T10:00:00Z",
    "task_description": "Raise the coverage of login",
    "actor_output": {
        "actions": [
            {"type": "code_modification", "description": "Add tests", "file_path": "a.test.ts",
             "changes": {"additions": 40, "deletions": 2}},
            {"type": "test_execution", "description": "Run", "command": "npm test"},
        ],
        "rationale": "Cover the happy path first",
    },
    "evaluator_output": {
        "passed": False,
        "verification_type": "unit_tests",
        "results": [{"tool": "npm test", "status": "fail", "exit_code": 1, "duration_ms": 3200}],
        "errors": [
            {"type": "test_failure", "message": "Cannot read property 'map' of undefined",
             "file": "a.ts", "line": 23},
        ],
        "reward_signal": 0.3,
        "metrics": {"tests_passed": 3, "tests_failed": 2, "tests_total": 5},
    },
    "self_reflection": {
        "reflection_text": "I did not think of an empty answer.",
        "credit_assignment": {"failing_action_indices": [0], "root_cause": "no null check",
                              "failure_category": "edge_case_miss"},
        "actionable_insights": ["Check for an empty list"],
        "lessons_learned": ["Answers may be empty"],
        "confidence": 0.9,
    },
    "memory_metadata": {"omega_capacity": 3, "current_memory_size": 1,
                        "reflections_in_context": [1], "window_policy": "fifo"},
    "performance_delta": {"reward_change": -0.2, "error_count_change": 2, "is_improvement": False},
}  # fmt: skip


LOGIN_FORM = {
    **SCHEMA_FORM,
    "loop_id": "login-loop",
    "task_description": "Keep the login alive",
    "evaluator_output": {"passed": False, "verification_type": "heuristic"},
    "self_reflection": {
        "reflection_text": "The token was refreshed too late.",
        "actionable_insights": ["Refresh it before each call."],
    },
}


EXTERNAL_FORM = {
    "iteration": 1,
    "content": "The build needs node 20.",
    "type": "constraint_discovery",
    "effectiveness": "helpful",
    "timestamp": "2026-01-27T09:00:00Z",
}
